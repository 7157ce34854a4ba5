-- `:Oxide test nearest` and `file` of C and C++, with CMake and ctest: which of its tests they run. The
-- programs take the arguments that discovered tests of GoogleTest and Catch2 have, and note them.
local helper = require('helper')

local CMAKE = [[
cmake_minimum_required(VERSION 3.20)
project(demo C)
enable_testing()
add_executable(units t/sum.c t/more.c t/main.c)
set_target_properties(units PROPERTIES OUTPUT_NAME all RUNTIME_OUTPUT_DIRECTORY bin)
foreach(name IN ITEMS Sum.adds Few/Sum.holds/0 Few/Sum.holds/1 Sum.holds_more More.adds)
  add_test(NAME "u:${name}" COMMAND units "--gtest_filter=${name}" --more)
endforeach()
add_test(NAME "u:comma" COMMAND units "adds\\, [or not]")
add_test(NAME "u:sized" COMMAND units "sized - int")
add_executable(whole t/whole.c t/main.c)
add_test(NAME whole-of-it COMMAND whole)
add_executable(plain t/plain.c t/main.c)
add_test(NAME plain.one COMMAND plain one)
add_test(NAME plain.two COMMAND plain two)
add_executable(tool t/tool.c t/main.c)
add_library(library t/library.c)
add_library(cases OBJECT t/cases.c)
add_library(shared STATIC t/shared.c)
target_link_libraries(cases PUBLIC shared)
add_executable(runner t/main.c)
target_link_libraries(runner PRIVATE cases)
add_test(NAME Case.one COMMAND runner one)
add_test(NAME Case.two COMMAND runner two)
add_executable(single t/main.c)
target_link_libraries(single PRIVATE shared)
add_test(NAME single COMMAND single)
add_library(alone STATIC t/alone.c)
add_executable(small t/main.c)
target_link_libraries(small PRIVATE alone)
add_test(NAME small COMMAND small)
]]

local SUM = [[
#include "macros.h"
TEST(Sum, adds) {}
TEST_P(Sum, holds) {}
TEST_CASE("adds, [or not]") {}
TEMPLATE_TEST_CASE("sized", int) {}
TEST(Sum, new) {}
]]

local MACROS = [[
#define JOIN(a, b) a##b
#define NAMED(line) static inline void JOIN(test, line)(void)
#define TEST(suite, name) NAMED(__LINE__)
#define TEST_P(suite, name) NAMED(__LINE__)
#define TEST_CASE(title) NAMED(__LINE__)
#define TEMPLATE_TEST_CASE(title, type) NAMED(__LINE__)
]]

local MAIN = [[
#include <stdio.h>
int main(int n, char **v)
{
	FILE *f = fopen(ROOT "/.ran", "a");
	fprintf(f, "%s\n", n > 1 ? v[1] : "all");
	return fclose(f);
}
]]

describe('the nearest test of C', function()
  local it = vim.fn.executable('ctest') == 1 and it or pending
  local child ---@type test.Child

  --- Runs it, and compares which tests were run.
  ---@param which string
  ---@param place string   file and line
  ---@param want string[]   their arguments
  ---@param says string
  local function runs(which, place, want, says)
    local file, line = place:match('^(.*):(%d+)$')
    child:cmd(('edit +%d %s'):format(line, file))
    child:lua('vim.fn.writefile({}, ".ran"); _G.messages = {}')
    child:cmd('Oxide test ' .. which)
    child:message(says)
    local ran = vim.split(child:file('.ran'), '\n', { trimempty = true })
    table.sort(ran)
    assert.same(want, ran)
  end

  after_each(helper.cleanup)

  it('is found by ctest, which knows what each of its tests runs', function()
    child = helper.start({
      ['CMakeLists.txt'] = CMAKE,
      ['t/macros.h'] = MACROS,
      ['t/sum.c'] = SUM,
      ['t/more.c'] = '#include "macros.h"\nTEST(More, adds) {}\n',
      ['t/whole.c'] = '#include "macros.h"\nTEST(Whole, one) {}\nTEST(Whole, two) {}\n',
      ['t/plain.c'] = 'static int one;\n',
      ['t/tool.c'] = '#include "macros.h"\nTEST(Tool, one) {}\n',
      ['t/library.c'] = 'int two;\n',
      ['t/cases.c'] = '#include "macros.h"\nTEST(Case, one) {}\nTEST(Case, two) {}\nTEST(Case, new) {}\n',
      ['t/shared.c'] = 'int three;\n',
      ['t/alone.c'] = '#include "macros.h"\nTEST(Alone, one) {}\n',
    }, {
      config = ("{ core = { path = %q, options = { ['run.allow'] = 1 } } }"):format(helper.core),
    })
    helper.write(child.dir .. '/t/main.c', ('#define ROOT "%s"\n'):format(child.dir) .. MAIN)
    -- nothing is built yet
    runs('nearest', 't/sum.c:2', { '--gtest_filter=Sum.adds' }, '1 passed')
    runs('last', 't/sum.c:2', { '--gtest_filter=Sum.adds' }, '1 passed')
    local holds = { '--gtest_filter=Few/Sum.holds/0', '--gtest_filter=Few/Sum.holds/1' }
    runs('nearest', 't/sum.c:3', holds, '2 passed')
    runs('nearest', 't/sum.c:4', { 'adds\\, [or not]' }, '1 passed')
    runs('nearest', 't/sum.c:5', { 'sized - int' }, '1 passed')
    runs('file', 't/more.c:1', { '--gtest_filter=More.adds' }, '1 passed')
    runs('nearest', 't/more.c:1', {}, 'no test is known at the cursor or above it')
    runs('nearest', 't/sum.c:6', {}, 'none of the 7 tests that ctest has of t/sum.c is Sum.new')
    helper.write(
      child.dir .. '/CMakeLists.txt',
      CMAKE .. 'add_test(NAME x COMMAND units --gtest_filter=Sum.new)\n'
    )
    runs('nearest', 't/sum.c:6', { '--gtest_filter=Sum.new' }, '1 passed')

    runs('nearest', 't/whole.c:2', { 'all' }, 'ctest has Whole.one as a part of whole')
    runs('file', 't/whole.c:2', { 'all' }, '1 passed')
    runs(
      'nearest',
      't/plain.c:1',
      { 'one', 'two' },
      'no test is known at the cursor: what ctest has'
    )
    runs('file', 't/plain.c:1', { 'one', 'two' }, '2 passed')
    runs(
      'nearest',
      't/tool.c:2',
      {},
      'ctest has no test that runs tool, which is built of t/tool.c'
    )
    runs('file', 't/library.c:1', {}, 'CMake builds no program of t/library.c')

    runs('nearest', 't/cases.c:3', { 'two' }, '1 passed')
    runs('file', 't/cases.c:1', { 'one', 'two' }, '2 passed')
    runs(
      'nearest',
      't/cases.c:4',
      {},
      't/cases.c is in a library of runner: none of their tests is'
    )
    runs('file', 't/shared.c:1', {}, 't/shared.c is in a library of runner, single: none of')
    runs('nearest', 't/alone.c:2', { 'all' }, 'ctest has Alone.one as a part of small')
  end)

  it('is built and found where the project was built before', function()
    child = helper.start({
      ['CMakeLists.txt'] = 'cmake_minimum_required(VERSION 3.20)\nproject(demo C)\nenable_testing()\n'
        .. 'add_executable(a a.c main.c)\nadd_test(NAME One.first COMMAND a first)\n',
      ['a.c'] = '#include "macros.h"\nTEST(One, first) {}\n',
      ['macros.h'] = MACROS,
    }, {
      config = ("{ core = { path = %q, options = { ['run.allow'] = 1 } } }"):format(helper.core),
    })
    helper.write(child.dir .. '/main.c', ('#define ROOT "%s"\n'):format(child.dir) .. MAIN)
    local configure = { 'cmake', '-S', '.', '-B', 'cmake-build-debug' }
    assert.equal(0, vim.system(configure, { cwd = child.dir }):wait().code)
    runs('nearest', 'a.c:2', { 'first' }, '1 passed')
    assert.is_nil(vim.uv.fs_stat(child.dir .. '/build'))
    configure[#configure] = 'out'
    assert.equal(0, vim.system(configure, { cwd = child.dir }):wait().code)
    runs('nearest', 'a.c:2', { 'first' }, 'built in cmake%-build%-debug, not in out')
  end)

  it('is not run where the project does not compile', function()
    child = helper.start({
      ['CMakeLists.txt'] = 'cmake_minimum_required(VERSION 3.20)\nproject(demo C)\nenable_testing()\n'
        .. 'add_executable(a a.c)\nadd_test(NAME a COMMAND a)\n',
      ['a.c'] = 'int main(void)\n{\n\treturn x;\n}\n',
    }, {
      config = ("{ core = { path = %q, options = { ['run.allow'] = 1 } } }"):format(helper.core),
    })
    child:cmd('edit a.c')
    child:lua([[require('oxide').test {
      which = 'nearest',
      on_done = function(err, result) _G.done = { err = err, success = result and result.success } end,
    }]])
    child:message('cmake: 1 error')
    assert.same({ success = false }, child:lua('return _G.done'))
    assert.equal(3, child:lua('return vim.fn.getqflist()[1].lnum'))
  end)
end)
