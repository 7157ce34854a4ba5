// The official conformance suite of MCP against `oxide mcp`, and where it asks for tools by name,
// against fixture.c; prints TAP.
//
//	node tests/mcp/conformance.mjs SUITE OXIDE FIXTURE DIR
//
// SUITE is the suite's program, DIR a new folder for its results. What Oxide does not offer stands in
// left_out.txt with the reason; what stands there and passes is a failure, so that it stays true.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bridge } from './bridge.mjs'

const [suite, oxide, fixture, dir] = process.argv.slice(2)
const revisions = {
  '2025-06-18': ['--spec-version', '2025-06-18'],
  '2025-11-25': ['--requirements', '2025-11-25'],
  '2026-07-28': ['--requirements', '2026-07-28'],
}
// What needs no fixture is shown of Oxide itself.
const own = new Set([
  'server-initialize', 'server-session-lifecycle', 'server-sse-multiple-streams', 'server-stateless',
  'logging-set-level', 'ping', 'caching', 'tools-list', 'prompts-list',
  'resources-list', 'resources-subscribe', 'resources-unsubscribe',
  'sep-2164-resource-not-found', 'input-required-result-unsupported-methods',
])

function readLeftOut() {
  const reasons = new Map()
  const text = readFileSync(join(import.meta.dirname, 'left_out.txt'), 'utf8')
  for (const line of text.split('\n').filter((l) => l && !l.startsWith('#'))) {
    const [, name, reason] = line.match(/^(\S+): (.*)$/)
    reasons.set(name, reason)
  }
  return reasons
}

function run(argv) {
  return new Promise((done) => {
    const child = spawn(argv[0], argv.slice(1), { stdio: ['ignore', 'ignore', 'inherit'] })
    child.on('close', done)
  })
}

// scenario -> its checks
async function results(name, argv, revision) {
  const out = join(dir, `${name}-${revision}`)
  mkdirSync(join(out, 'project'), { recursive: true })
  const env = { ...process.env, XDG_STATE_HOME: join(out, 'state'), XDG_CONFIG_HOME: join(out, 'config') }
  const server = await bridge(argv, { cwd: join(out, 'project'), env })
  const log = join(out, 'results')
  await run([process.execPath, suite, 'server', '--url', server.url, ...revisions[revision], '--timeout', '120000', '-o', log])
  server.close()
  const found = new Map()
  for (const entry of readdirSync(log)) {
    const scenario = entry.match(/^server-(.*?)-\d{4}-\d{2}-\d{2}T/)[1]
    found.set(scenario, JSON.parse(readFileSync(join(log, entry, 'checks.json'), 'utf8')))
  }
  return found
}

const leftOut = readLeftOut()
const used = new Set()
const untrue = []
let count = 0

function report(ok, what, failed = []) {
  count++
  console.log(`${ok ? 'ok' : 'not ok'} ${count} - ${what}`)
  for (const c of failed) console.log(`#   ${c.id}: ${c.errorMessage ?? c.description}`)
}

// A scenario, or a check, that is left out for all or for one of the two.
function excuse(who, name) {
  const key = [name, `${who}/${name}`].find((k) => leftOut.has(k))
  if (key) used.add(key)
  return key && leftOut.get(key)
}

function judge(who, revision, scenario, checks) {
  const what = `${revision} ${scenario}, ${who}`
  const reason = excuse(who, scenario)
  const failed = checks.filter((c) => c.status === 'FAILURE' && (reason || !excuse(who, c.id)))
  const passes = !failed.length && checks.some((c) => c.status === 'SUCCESS')
  if (!reason) report(passes, what, failed)
  else if (passes) untrue.push(`${what} passes`)
  else console.log(`# left out: ${what}: ${reason}`)
}

for (const revision of Object.keys(revisions)) {
  const ours = await results('oxide', [oxide, 'mcp', '--tools', 'all'], revision)
  const theirs = await results('fixture', [fixture], revision)
  for (const [scenario, checks] of [...theirs].sort()) {
    if (own.has(scenario)) judge('oxide', revision, scenario, ours.get(scenario))
    judge('fixture', revision, scenario, checks)
  }
}
for (const name of leftOut.keys()) if (!used.has(name)) untrue.push(`${name} was not met`)
report(!untrue.length, `left_out.txt is true ${untrue.join(', ')}`)
console.log(`1..${count}`)
