// What both halves of the action share: inputs, the files by which a runner is told something, and the control API.
'use strict'

const { randomUUID } = require('node:crypto')
const { appendFileSync } = require('node:fs')
const http = require('node:http')

// How long the server may take for an answer, in milliseconds; its largest report takes a tenth of a second.
const PATIENCE_MS = 30_000

/** The value of an input, as the runner gives it: https://docs.github.com/actions/reference/metadata-syntax */
function input(name) {
  return (process.env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`] ?? '').trim()
}

/** Tells the runner a value, in the form that no value can break out of. `file` is the runner's variable. */
function tell(file, name, value) {
  const end = `end-${randomUUID()}`
  appendFileSync(process.env[file], `${name}<<${end}\n${value}\n${end}\n`)
}

/** The text of a message to the runner: https://docs.github.com/actions/reference/workflow-commands */
function escaped(text) {
  return String(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** Marks the step as failed, with a sentence that stands among the annotations of the job. */
function fail(sentence) {
  process.stdout.write(`::error title=mockserver::${escaped(sentence)}\n`)
  process.exitCode = 1
}

/** Prints text in which the runner must find no commands. */
function print(text) {
  const word = randomUUID()
  process.stdout.write(`::stop-commands::${word}\n${text}\n::${word}::\n`)
}

/** What a command, or docker, says is wrong: how it is misused, or else its last line. */
function sentence(errors) {
  const lines = errors.trim().split('\n')
  return lines.map((line) => /^(?:Error|docker): (.+)/.exec(line)?.[1]).find(Boolean) ?? lines.at(-1)
}

/** The value of a JSON answer of the control API. */
async function get(root, path, token, headers = {}) {
  return JSON.parse(await text(root, path, token, headers))
}

/** The text of an answer of the control API. */
function text(root, path, token, headers = {}) {
  const authorization = token ? { Authorization: `Bearer ${token}` } : {}
  return new Promise((resolve, reject) => {
    const request = http.get(`${root}${path}`, { headers: { ...headers, ...authorization }, timeout: PATIENCE_MS })
    request.on('timeout', () => request.destroy(new Error('no answer in time')))
    request.on('error', reject)
    request.on('response', (response) => {
      const parts = []
      response.on('data', (part) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200) resolve(Buffer.concat(parts).toString('utf8'))
        else reject(new Error(`${path} is answered with ${response.statusCode}`))
      })
    })
  })
}

module.exports = { escaped, fail, get, input, print, sentence, tell, text }
