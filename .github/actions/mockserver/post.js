// At the end of the job: requests and coverage into its summary, the gate, and the end of the server.
'use strict'

const { spawnSync } = require('node:child_process')
const { appendFileSync } = require('node:fs')

const { fail, get, input, print, sentence } = require('./client.js')
const { summary } = require('./summary.js')

const state = (name) => process.env[`STATE_${name}`] ?? ''

/** The newest requests of all workspaces that are still there, at most `limit`; those used last come first. */
async function journal(url, token, limit) {
  const { items } = await get(url, '/_mock/workspaces?limit=1000', token)
  const found = []
  for (const { name } of items) {
    if (found.length >= limit) break
    const path = `/_mock/requests?limit=${limit - found.length}`
    const { items: rows } = await get(url, path, token, { 'X-Mock-Workspace': name })
    found.push(...rows.map((row) => ({ ...row, workspace: name })))
  }
  return found
}

async function show(url, token) {
  const limit = Number(input('journal'))
  if (!Number.isInteger(limit) || limit < 0) throw new Error(`journal is a whole number, not ${input('journal')}`)
  const asked = coverage(url, token, ['--format', 'json'])
  if (asked.status !== 0) throw new Error(sentence(asked.stderr ?? '') || asked.error?.message)
  const requests = limit ? await journal(url, token, Math.min(limit, 1000)) : []
  appendFileSync(process.env.GITHUB_STEP_SUMMARY, summary(JSON.parse(asked.stdout), requests, input('of')))
}

/** Run `mockserver coverage` with the input `of`, so that the summary and the gate count the same. */
function coverage(url, token, options) {
  const wanted = ['coverage', ...options, ...(input('of') ? ['--of', input('of')] : [])]
  const container = state('container')
  const command = container
    ? ['docker', 'exec', '--env', 'MOCKSERVER_TOKEN', container, state('program'), ...wanted]
    : [state('program'), ...wanted]
  const environment = container ? {} : { MOCKSERVER_URL: url }
  return spawnSync(command[0], command.slice(1), {
    env: { ...process.env, ...environment, ...(token ? { MOCKSERVER_TOKEN: token } : {}) },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024, // bytes; the report of the whole contract has some ten thousand
  })
}

/** Fails the job if too little of the contract was met; the command itself says how much it was. */
function gate(url, token) {
  const run = coverage(url, token, ['--fail-under', input('fail-under')])
  print(`${run.stdout ?? ''}${run.stderr ?? ''}`.trimEnd())
  if (run.status !== 0) fail(sentence(run.stderr ?? '') || run.error?.message || 'too little was met')
}

function stop() {
  if (state('container')) spawnSync('docker', ['rm', '--force', state('container')], { stdio: 'ignore' })
  if (!state('pid')) return
  try {
    process.kill(Number(state('pid')), 'SIGTERM')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error // it has ended already
  }
}

async function main() {
  const [url, token] = [state('url'), input('token')]
  try {
    if (url && input('summary') !== 'false') await show(url, token)
    if (url && input('fail-under')) gate(url, token)
  } finally {
    stop()
  }
}

main().catch((error) => fail(`no report of the mock server: ${error.message}`))
