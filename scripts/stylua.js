#!/usr/bin/env node
// StyLua's npm package is a library (WebAssembly); this is its command line, as far as we use it.
//
//	stylua FILE|DIR...            rewrites the Lua files that are not as stylua.toml has them
//	stylua --check FILE|DIR...    names them and the first line that differs; status 1 if any
//
// scripts/servers.sh brings the library and links this script as .deps/bin/stylua.
'use strict';

const fs = require('fs');
const path = require('path');

const root = path.join(__dirname, '..');
const stylua = require(path.join(
  root, '.deps/servers/stylua/node_modules/@johnnymorganz/stylua/stylua_lib_node.cjs'));

const enums = {
  call_parentheses: stylua.CallParenType,
  collapse_simple_statement: stylua.CollapseSimpleStatement,
  indent_type: stylua.IndentType,
  line_endings: stylua.LineEndings,
  quote_style: stylua.QuoteStyle,
  space_after_function_names: stylua.SpaceAfterFunctionNames,
  syntax: stylua.LuaVersion,
};
const numbers = ['column_width', 'indent_width'];

function fail(text) {
  console.error(`stylua: ${text}`);
  process.exit(2);
}

// The subset of TOML that stylua.toml needs: one `name = value` a line, and comments.
function settings(file) {
  const config = stylua.Config.new();
  fs.readFileSync(file, 'utf8').split('\n').forEach((line, at) => {
    const where = `${file}:${at + 1}`;
    if (/^\s*(#.*)?$/.test(line)) return;
    const parts = /^\s*(\w+)\s*=\s*(?:"(\w+)"|(\d+))\s*(?:#.*)?$/.exec(line);
    const [, name, text, number] = parts || fail(`${where}: not name = value`);
    if (numbers.includes(name) && number) config[name] = Number(number);
    else if (enums[name] && text in enums[name]) config[name] = enums[name][text];
    else fail(`${where}: not known: ${line.trim()}`);
  });
  return config;
}

function luaFiles(name) {
  if (!fs.existsSync(name)) fail(`${name}: no such file`);
  if (!fs.statSync(name).isDirectory()) return [name];
  return fs.readdirSync(name, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.lua'))
    .flatMap((entry) => luaFiles(path.join(name, entry.name)))
    .sort();
}

function formatted(file, text) {
  // A config is used up by a call.
  const config = settings(path.join(root, 'stylua.toml'));
  try {
    return stylua.formatCode(text, config, undefined, stylua.OutputVerification.None);
  } catch (error) {
    return fail(`${file}: ${error.message || error}`);
  }
}

function main(args) {
  const check = args[0] === '--check';
  const names = check ? args.slice(1) : args;
  if (names.length === 0 || names[0].startsWith('-')) fail('usage: stylua [--check] FILE|DIR...');
  for (const file of names.flatMap(luaFiles)) {
    const before = fs.readFileSync(file, 'utf8');
    const after = formatted(file, before);
    if (after === before) continue;
    if (!check) {
      fs.writeFileSync(file, after);
      continue;
    }
    const old = before.split('\n');
    const wanted = after.split('\n');
    const at = wanted.findIndex((line, i) => line !== old[i]);
    const line = at < 0 ? wanted.length : at;
    console.log(`${file}:${line + 1}: not as stylua has it; wanted: ${wanted[line] ?? 'the end'}`);
    process.exitCode = 1;
  }
}

main(process.argv.slice(2));
