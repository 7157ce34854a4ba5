// The command line of MCP's official inspector against `oxide mcp`: it lists and calls every tool,
// in a copy of the C project; prints TAP.
//
//	node tests/mcp/inspector.mjs INSPECTOR OXIDE PROJECT
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const [inspector, oxide, project] = process.argv.slice(2)
const main = { file_path: 'src/main.c' }
const place = { ...main, symbol: 'stations' }

// One call of each tool, in an order in which each finds what it needs, and what its answer says.
const examples = [
  ['read_file', { ...main, start_line: 1, end_line: 1 }, /1: #include "series.h"/],
  ['edit_file', { ...main, line_number: 2, content: 'x', dry_run: true }, /success: true/],
  ['write_file', { file_path: 'new.txt', content: 'one\n' }, /transaction: /],
  ['multi_edit', { operations: [{ edit_type: 'insert', file_path: 'new.txt', line_number: 2, content: 'two' }] }, /\+two/],
  ['multi_edit_files', { file_paths: ['new.txt'], edit_instructions: 'FILE: new.txt\nDELETE LINES 2-2:\n' }, /-two/],
  ['apply_patch', { patch: '--- a/new.txt\n+++ b/new.txt\n@@ -1 +1 @@\n-one\n+1\n' }, /\+1/],
  ['undo', {}, /-1/],
  ['lsp_symbol', { ...main, query: 'document_symbols' }, /name: stations/],
  ['lsp_rename', { ...place, new_name: 'sites', confirm: 'apply' }, /new_name: sites/],
  ['lsp_edit', { ...main, symbol: 'sites', action: 'insert_before', content: '/* all of them */' }, /\+\/\* all/],
  ['lsp_format', { file_path: 'src/series.c' }, /success: true/],
  ['format_code', main, /success: true/],
  ['format_document', main, /success: true/],
  ['lsp_diagnostic', main, /summary: /],
  ['get_symbol_info', { symbol_name: 'process_data', file_hint: 'series' }, /definition_code:\nlong process_data/],
  ['find_symbol_usages', { symbol_name: 'process_data' }, /src\/report.c:/],
  ['rename_symbol', { symbol_name: 'process_data', new_name: 'sum_up' }, /action_id: rename_process_data_to_sum_up/],
  ['check_project', {}, /summary: .*message: make: /],
  ['test_project', {}, /No rule to make target 'test'/],
  ['refresh_code_actions', {}, /name: .*, summary: /],
  ['manage_projects', {}, /last_project: /],
  ['list_code_actions', { ...main, line: 1 }, /count: /],
  ['execute_code_action', { action_id: 'none-00000000' }, /not_found/],
  ['get_diagnostics', main, /summary: /],
  ['goto_definition', { ...main, symbol: 'sites' }, /src\/main.c/],
  ['find_references', { ...main, symbol: 'sites' }, /total: /],
  ['hover_info', { ...main, symbol: 'sites' }, /sites/],
  ['analyze_code', main, /name: sites/],
]
let count = 0

function report(ok, what, said) {
  count++
  console.log(`${ok ? 'ok' : 'not ok'} ${count} - ${what}`)
  if (!ok) console.log(said.replace(/^/gm, '#   '))
}

function inspect(...args) {
  const done = spawnSync(process.execPath, [inspector, '--cli', oxide, 'mcp', '--root', project, '--tools', 'all', '--allow-run', ...args], {
    cwd: project,
    encoding: 'utf8',
  })
  return { status: done.status, said: done.stdout + done.stderr, out: done.stdout }
}

function json(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const list = inspect('--method', 'tools/list', '--strict')
report(list.status === 0, 'it lists the tools, and finds nothing that clients could stumble over', list.said)

const listed = (json(list.out)?.tools ?? []).map((t) => t.name).sort()
const shown = examples.map((e) => e[0]).sort()
report(listed.join() === shown.join(), 'there is an example of each tool', `listed: ${listed}\nexamples: ${shown}`)

for (const [name, args, want] of examples) {
  const words = Object.entries(args).map(([k, v]) => `${k}=${typeof v === 'string' ? v : JSON.stringify(v)}`)
  const { status, said, out } = inspect('--method', 'tools/call', '--tool-name', name, ...words.flatMap((w) => ['--tool-arg', w]))
  const answer = json(out)
  const refused = want.source === 'not_found'
  report((refused || status === 0) && answer?.isError === refused && want.test(answer?.content?.[0]?.text), `it calls ${name}`, said)
}

for (const [what, args, want] of [
  ['resources/list', [], /oxide:\/\/diagnostics/],
  ['resources/templates/list', [], /diagnostics\/{\+path}/],
  ['resources/read', ['--uri', 'oxide://diagnostics/src/main.c'], /summary: /],
  ['resources/read', ['--uri', 'oxide://actions'], /count: /],
  ['prompts/list', [], /"name": "oxide"/],
  ['prompts/get', ['--prompt-name', 'oxide'], /lsp_rename/],
]) {
  const { status, said } = inspect('--method', what, ...args)
  report(status === 0 && want.test(said), `it asks ${what}`, said)
}
console.log(`1..${count}`)
