-- The work of an agent over `oxide mcp`, with real servers, checkers and test runners: a project is
-- loaded; what is wrong with it mended; a symbol renamed; the code looked at. Together they call
-- each tool of the guidance for agents as its examples do.
local e2e = require('e2e')
local fault = require('fault')
local helper = require('helper')
local mcp = require('mcp')

---@class test.Workflow
---@field program string   without it the sample is left out
---@field config? string   as Lua
---@field files table<string, string>   all is well with them, but for a test that fails
---@field broken { file: string, old: string, new: string, says: string, fix?: string }
---@field struct { file: string, line: integer, kind: string, about: string, code: string }
---@field uses string[]    of MyStruct
---@field tests { passed: integer, failure: string, one: string }
---@field refuses? string  why there is no such thing as one test

local RUST_LIB = [[
//! Shapes.
pub mod models;

/// Adds two numbers.
pub fn old_name(a: i32, b: i32) -> i32 {
    a + b
}

/// What everybody calls.
pub fn my_function(x: i32) -> i32 {
    let mut total = old_name(x, 1);
    total += models::MyStruct { width: 0 }.doubled();
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn my_specific_test() {
        let got = my_function(1); // a macro of a library that is not there hides what is in it
        assert_eq!(got, 2);
    }

    #[test]
    fn fails() {
        let got = old_name(1, 1);
        assert_eq!(got, 3, "one and one");
    }
}
]]

local RUST_MODELS = [[
/// A thing with a width.
#[derive(Debug)]
pub struct MyStruct {
    pub width: i32,
}

impl MyStruct {
    pub fn doubled(&self) -> i32 {
        crate::old_name(self.width, self.width)
    }
}
]]

local C_HEADER = [[
#ifndef MODELS_H
#define MODELS_H

/* A thing with a width. */
struct MyStruct {
	int width;
};

int old_name(int a, int b);
int my_function(int x);

#endif
]]

local C_LIB = [[
#include "models.h"

int old_name(int a, int b)
{
	return a + b;
}

int my_function(int x)
{
	struct MyStruct s = { x };
	int total = old_name(s.width, 1);

	return total;
}
]]

local C_TESTS = [[
#include <stdio.h>

#include "models.h"

int main(void)
{
	int bad = old_name(1, 1) != 3;

	printf("%s 1 - my_specific_test\n", my_function(1) == 2 ? "ok" : "not ok");
	printf("%s 2 - fails\n# tests.c:7: one and one\n", bad ? "not ok" : "ok");
	return bad;
}
]]

local PY_LIB = [[
"""Shapes."""

from models import MyStruct


def old_name(a: int, b: int) -> int:
    return a + b


def my_function(x: int) -> int:
    total = old_name(MyStruct(x).width, 1)
    return total
]]

local PY_TESTS = [[
import unittest

import lib


class Tests(unittest.TestCase):
    def test_my_specific(self):
        self.assertEqual(lib.my_function(1), 2)

    def test_fails(self):
        self.assertEqual(lib.old_name(1, 1), 3, "one and one")
]]

---@type table<string, test.Workflow>
local samples = {
  my_rust_project = {
    program = 'rust-analyzer',
    -- without the standard library it starts soon, and finds errors where there are none
    config = [[servers = { rust_analyzer = { init_options = {
      cachePriming = { enable = false },
      cargo = { sysroot = '/nonexistent', buildScripts = { enable = false } },
      diagnostics = { enable = false },
    } } }]],
    files = {
      ['Cargo.toml'] = '[package]\nname = "shapes"\nversion = "0.1.0"\nedition = "2021"\n\n'
        .. '[lib]\ndoctest = false\n',
      ['src/lib.rs'] = RUST_LIB,
      ['src/models.rs'] = RUST_MODELS,
    },
    broken = {
      file = 'src/lib.rs',
      old = 'let mut total',
      new = 'let total',
      says = 'cannot assign twice to immutable variable',
      fix = 'making this binding mutable',
    },
    struct = {
      file = 'src/models.rs',
      line = 3,
      kind = 'struct',
      about = 'A thing with a width%.',
      code = 'pub struct MyStruct {\n    pub width: i32,\n}',
    },
    uses = { 'src/lib.rs:12', 'src/models.rs:7' },
    tests = { passed = 1, failure = 'tests::fails', one = 'tests::my_specific_test' },
  },
  my_c_project = {
    program = 'clangd',
    files = {
      ['Makefile'] = 'CFLAGS = -Wall\n\ntests: tests.o lib.o\n'
        .. 'tests.o lib.o: models.h\n\ntest: tests\n\t@./tests\n\n.PHONY: test\n',
      ['compile_flags.txt'] = '-Wall\n',
      ['models.h'] = C_HEADER,
      ['lib.c'] = C_LIB,
      ['tests.c'] = C_TESTS,
    },
    broken = {
      file = 'lib.c',
      old = 'return total;',
      new = 'return totl;',
      says = 'totl',
      fix = "change 'totl' to 'total'",
    },
    struct = {
      file = 'models.h',
      line = 5,
      kind = 'struct',
      about = 'A thing with a width%.',
      code = 'struct MyStruct {\n\tint width;\n}',
    },
    uses = { 'lib.c:10' },
    tests = { passed = 1, failure = 'fails' },
  },
  my_python_project = {
    program = 'pyright-langserver',
    config = ("projects = { python = { check = { { steps = { { %q, '--outputjson' } },"):format(
      helper.root .. '/.deps/servers/pyright/node_modules/.bin/pyright'
    )
      .. " output = 'pyright' } }, test = { { steps = { { 'python3', '-m', 'unittest', '-v' } },"
      .. " one = { { 'python3', '-m', 'unittest', '-v', '-k', '{test}' } }, output = 'unittest' } } } }",
    files = {
      ['pyproject.toml'] = '',
      ['lib.py'] = PY_LIB,
      ['models.py'] = 'class MyStruct:\n    """A thing with a width."""\n\n'
        .. '    def __init__(self, width: int) -> None:\n        self.width = width\n',
      ['test_lib.py'] = PY_TESTS,
    },
    broken = {
      file = 'lib.py',
      old = 'return total',
      new = 'return totl',
      says = '"totl" is not defined',
    },
    struct = {
      file = 'models.py',
      line = 1,
      kind = 'class',
      about = 'A thing with a width%.',
      code = 'class MyStruct:\n    """A thing with a width."""',
    },
    uses = { 'lib.py:3', 'lib.py:11' },
    tests = { passed = 1, failure = 'test_fails', one = 'test_my_specific' },
  },
}

local NONE = vim.empty_dict()

for name, sample in vim.spairs(samples) do
  describe('an agent in ' .. name, function()
    local it = e2e.brought(sample.program) and it or pending
    local dir, c

    local function path(file)
      return dir .. '/' .. file
    end

    local function call(tool, args)
      local text, failed = c:call(tool, args)
      assert.is_false(failed, text)
      return text
    end

    before_each(function()
      dir = helper.tempdir() .. '/' .. name
      for file, text in pairs(sample.files) do
        helper.write(path(file), text)
      end
      -- The agent is started elsewhere, and loads the project itself.
      local home = vim.fs.dirname(dir) .. '/home'
      vim.fn.mkdir(home .. '/.git', 'p')
      local config = vim.fs.dirname(dir) .. '/config.lua'
      e2e.write_config(config, sample.config)
      c = mcp.start(home, { '--config', config, '--tools', 'rust' })
      c:initialize()
      local text = call('manage_projects', { add_project_path = dir })
      assert.matches(vim.pesc(name), text)
      assert.matches(vim.pesc(dir), text)
    end)
    after_each(function()
      mcp.cleanup()
      fault.cleanup()
      vim.fn.delete(vim.fs.dirname(dir), 'rf')
    end)

    local function tree(changed)
      local all = vim.tbl_extend('force', sample.files, changed or {})
      for file, text in pairs(all) do
        assert.equal(text, helper.read(path(file)))
      end
    end

    it('mends what does not check', function()
      local b = sample.broken
      local wrong = sample.files[b.file]:gsub(vim.pesc(b.old), (b.new:gsub('%%', '%%%%')))
      assert.are_not.equal(sample.files[b.file], wrong)
      helper.write(path(b.file), wrong)
      local text = call('check_project', { project_name = name, include_fixes = true })
      assert.matches(vim.pesc(b.says), text)
      assert.matches(vim.pesc(b.file), text)
      if b.fix then
        assert.matches('"edit_to_apply":', text)
        local id
        for line in call('list_code_actions', NONE):gmatch('[^\n]+') do
          id = line:find(b.fix, 1, true) and line:match('id: ([^,]+)') or id
        end
        call('execute_code_action', { action_id = assert(id, text) })
      else
        local edit = { old_string = b.new, new_string = b.old, file_path = path(b.file) }
        call('edit_file', edit)
      end
      tree()
      text = call('check_project', { project_name = name })
      assert.matches('no problems', text)
      assert.matches(vim.pesc(name), call('refresh_code_actions', { project_name = name }))
    end)

    it('renames a symbol after a look at what that means', function()
      local text =
        call('rename_symbol', { symbol_name = 'my_function', new_name = 'my_new_function' })
      local id = 'rename_my_function_to_my_new_function'
      assert.matches(id, text)
      tree()
      assert.matches('id: ' .. id, call('list_code_actions', NONE))
      call('execute_code_action', { action_id = id })
      call('rename_symbol', {
        symbol_name = 'old_name',
        new_name = 'new_name',
        execute_immediately = true,
      })
      tree(vim.tbl_map(function(was)
        return (was:gsub('my_function', 'my_new_function'):gsub('old_name', 'new_name'))
      end, sample.files))
      text = call('test_project', NONE)
      assert.matches('passed: ' .. sample.tests.passed .. '%f[^%d]', text)
      assert.matches('failed: 1%f[^%d]', text)
      assert.matches(vim.pesc(sample.tests.failure), text)
      assert.matches('one and one', text)
    end)

    it('understands the code', function()
      local s = sample.struct
      local asked = { project_name = name, symbol_name = 'MyStruct', file_hint = s.file }
      local text = call('get_symbol_info', asked)
      assert.matches('symbol: MyStruct', text)
      assert.matches('kind: ' .. s.kind, text)
      assert.matches('file_path: ' .. vim.pesc(s.file), text)
      assert.matches(s.about, text)
      assert.is_truthy(text:find(s.code, 1, true), text)
      text = call('find_symbol_usages', { symbol_name = 'MyStruct', file_hint = s.file })
      for _, use in ipairs(sample.uses) do
        assert.matches(vim.pesc(use) .. '%f[^%d]', text)
      end
      local one = { test_name = sample.tests.one or 'x', backtrace = true }
      if sample.tests.one then
        assert.matches('passed: 1%f[^%d].*failed: 0', call('test_project', one))
      else
        text = c:call('test_project', one)
        assert.matches('one test', text)
      end
      assert.matches(vim.pesc(name), call('manage_projects', NONE))
      text = call('manage_projects', { remove_project_name = name })
      assert.is_nil(text:match('name: ' .. vim.pesc(name)))
      tree()
    end)
  end)
end
