// Starts the server, and tells the steps that follow where it is.
'use strict'

const { spawnSync } = require('node:child_process')
const { existsSync, mkdtempSync, readFileSync, writeFileSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { join } = require('node:path')

const { escaped, fail, get, input, print, sentence, tell, text } = require('./client.js')

const INPUTS = ['image', 'version', 'program', 'python', 'scenario', 'scenarios', 'port', 'token', 'tls', 'arguments', 'timeout']

/** What start.sh has written: `name=value`, a line each. */
function read(path) {
  if (!existsSync(path)) return {}
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

async function main() {
  const home = mkdtempSync(join(process.env.RUNNER_TEMP || tmpdir(), 'mockserver-'))
  const token = input('token')
  if (token) process.stdout.write(`::add-mask::${escaped(token)}\n`)
  const given = Object.fromEntries(INPUTS.map((name) => [name.toUpperCase(), input(name)]))
  const run = spawnSync('bash', [join(__dirname, 'start.sh')], {
    env: { ...process.env, ...given, HOME_OF_SERVER: home },
    stdio: 'inherit',
  })
  const started = read(join(home, 'started'))
  // Also where it has failed: the second half ends what was started.
  for (const [name, value] of Object.entries({ ...started, home })) tell('GITHUB_STATE', name, value)
  if (run.status !== 0) return explain(home, run.error)
  await announce(started, home, token)
}

/** Says why the server does not run, with the end of its log. */
function explain(home, error) {
  const [log, failure] = ['log', 'failure'].map((name) => written(join(home, name)))
  if (log) print(log.slice(-10_000))
  const reason = failure.endsWith(':') ? ` ${sentence(log) || 'it has said nothing'}` : '' // as start.sh leaves it to the log
  fail(`${failure || (error?.message ?? 'start.sh has failed')}${reason}`)
}

function written(path) {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
}

async function announce({ url, 'tls-url': tlsUrl }, home, token) {
  const found = await get(url, '/_mock/workspaces/default', token)
  const base = `${url}/v3`
  const key = found.api_key ?? ''
  const variables = { MOCKSERVER_URL: url, BREVO_API_URL: base, BREVO_BASE_URL: base, BREVO_API_KEY: key }
  if (token) variables.MOCKSERVER_TOKEN = token
  const outputs = { url, 'base-url': base, 'api-key': key }
  if (tlsUrl) {
    outputs['tls-url'] = tlsUrl
    outputs.ca = join(home, 'ca.pem')
    writeFileSync(outputs.ca, await text(url, '/_mock/ca', token))
  }
  for (const [name, value] of Object.entries(variables)) tell('GITHUB_ENV', name, value)
  for (const [name, value] of Object.entries(outputs)) tell('GITHUB_OUTPUT', name, value)
  process.stdout.write(`The mock server is at ${url}\n`)
}

main().catch((error) => fail(error.message))
