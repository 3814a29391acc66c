// Requests and coverage as Markdown for the summary of a job.
'use strict'

// The runner takes 1 MiB of a step; the rest is left for what stands around the rows.
// https://docs.github.com/actions/reference/workflow-commands#step-isolation-and-limits
const MOST_BYTES = 1024 * 1024 - 16 * 1024
// How many characters of one value are shown, which fit into a cell.
const LONGEST = 300

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A value as the text of one cell: it ends no line and no element, and is no Markdown. */
function cell(value) {
  const text = String(value ?? '')
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  // Control characters, lone surrogates, marks of direction, and the separators that end a line somewhere.
  const visible = short.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '\u{fffd}')
  return visible.replace(/[&<>"']/g, (character) => ENTITIES[character])
}

function row(values) {
  return `<tr>${values.map((value) => `<td><code>${cell(value)}</code></td>`).join('')}</tr>\n`
}

/** A table of HTML, in which no Markdown is read, of as many rows as fit into a number of bytes. */
function table(heads, rows, room) {
  const head = `<table>\n<tr>${heads.map((name) => `<th>${cell(name)}</th>`).join('')}</tr>\n`
  let [text, left, shown] = [head, room - Buffer.byteLength(head), 0]
  for (const line of rows.map(row)) {
    left -= Buffer.byteLength(line)
    if (left < 0) break
    text += line
    shown += 1
  }
  const missing = rows.length - shown
  return `${text}</table>\n\n${missing ? `${missing} more are not shown.\n\n` : ''}`
}

function address({ path, query }) {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
  return pairs.length ? `${path}?${new URLSearchParams(pairs)}` : path
}

function request(entry) {
  const { at, workspace, method, status, operation, beyond, fault, reason } = entry
  return [at, workspace, method, address(entry), status ?? '', operation ?? beyond ?? '', fault ?? '', reason ?? '']
}

function operation([name, { calls, statuses }]) {
  const met = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
  return [name, calls, met.join(', ')]
}

/** The whole summary: what the coverage report of a selection and the newest entries of the journal say. */
function summary(coverage, requests, of = '') {
  const totals = Object.entries(coverage.totals).map(([name, { met, of, percent }]) => [name, met, of, `${percent} %`])
  const called = Object.entries(coverage.operations).filter(([, { calls }]) => calls > 0)
  const parts = [
    `## Mock of Brevo's API\n\n${coverage.percent.toFixed(1)} % of the contract${of && ` (--of <code>${cell(of)}</code>)`} was met.\n\n`,
    table(['of the contract', 'met', 'of', 'percent'], totals, MOST_BYTES),
    called.length ? table(['operation', 'calls', 'statuses'], called.map(operation), MOST_BYTES / 4) : '',
  ]
  const used = Buffer.byteLength(parts.join(''))
  const heads = ['at', 'workspace', 'method', 'address', 'status', 'operation', 'fault', 'reason']
  parts.push(
    requests.length
      ? `<details>\n<summary>The last ${requests.length === 1 ? 'request' : `${requests.length} requests`} of the workspaces that are still there</summary>\n\n` +
          `${table(heads, requests.map(request), MOST_BYTES - used)}</details>\n\n`
      : 'The workspaces that are still there have had no requests.\n\n',
  )
  return parts.join('')
}

module.exports = { cell, summary }
