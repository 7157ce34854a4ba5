-- A real model server, llama.cpp's, in each API's format that it speaks: a model is asked, edits a file by
-- line number, is told the result, and answers.
local helper = require('helper')
local llama = require('llama')
local project = require('project')

if not llama.brought() then
  pending('the set-up brings no llama.cpp here')
  return
end

local BEFORE = 'int f(void) {\n  return 1;\n}\n'
local AFTER = 'int f(void) {\n  return 2;\n}\n'
local FORMATS = { 'openai', 'anthropic', 'openai-responses' }

-- What is said depends on what the model was given: the file with its line numbers, or the tool's result.
local TEMPLATE = [[
{%- for tool in tools or [] %}<tool>{{ tool.function.name }}</tool>
{% endfor %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{{ message.content or '' }}
{%- for call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% set last = messages[-1] %}
{%- if last.role == 'tool' %}
{%- if 'files_changed: 1' not in last.content %}<|fails|>
{%- elif 'kept: ' in last.content %}<|kept|>
{%- else %}<|changed|>
{%- endif %}
{%- elif '2:   return 1;' in last.content %}<|asks|>
{%- else %}<|sees nothing|>
{%- endif %}
{%- endif %}]]

local SAYS = {
  ['<|asks|>'] = {
    'I change ',
    'line 2.\n',
    '<tool_call>\n{"name": "edit_file", "arguments": {"file_path": "a.c", ',
    '"line_number": 2, ',
    '"content": "  return 2;"}}\n</tool_call>',
  },
  ['<|kept|>'] = { 'It will ', 'return two ', '– 😀.' },
  ['<|changed|>'] = { 'It ', 'returns ', 'two – 😎.' },
  ['<|sees nothing|>'] = { 'There is no file.' },
  ['<|fails|>'] = { 'That ', 'failed.' },
}

describe('llama-server', function()
  local server ---@type test.Llama

  setup(function()
    server = llama.start { template = TEMPLATE, says = SAYS }
  end)

  teardown(llama.cleanup)

  --- The members of a configuration that name the model.
  ---@param format string
  local function models(format)
    return ('models = { fast = { provider = %q, url = %q, model = "scripted" } }, model = "fast"'):format(
      format,
      server.url .. '/v1'
    )
  end

  describe('in Neovim', function()
    local child ---@type test.Child

    after_each(helper.cleanup)

    ---@param format string
    ---@param options? string   of the core
    local function ask(format, options)
      child = helper.start({ ['a.c'] = BEFORE }, {
        config = ([[{
          core = { path = %q, options = { %s } }, review = { agent_focus = 'always' }, %s
        }]]):format(helper.core, options or '', models(format)),
      })
      child:cmd('edit a.c')
      child:type(':Oxide ask return two<CR>')
    end

    local function accept()
      local review = child:event('ReviewOpen')
      assert.equal(review.buf, child:lua('return vim.api.nvim_get_current_buf()'))
      local text = table.concat(child:lines(), '\n')
      assert.truthy(text:find('return 2;', 1, true), text)
      assert.equal(BEFORE, child:file('a.c'))
      child:type(':write<CR>')
    end

    --- Waits for the end of the turn, and returns what the chat shows.
    local function ended()
      local turn = child:wait(
        'the end of the turn',
        [[vim.iter(_G.events):find(function(event)
          return event.name == 'OxideChatTurn' and event.data.phase == 'end'
        end)]]
      )
      assert.same(nil, turn.data.error)
      return table.concat(
        child:lua(
          "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('^oxide://chat/1$'), 0, -1, false)"
        ),
        '\n'
      )
    end

    for _, format in ipairs(FORMATS) do
      it('has its turn reviewed, ' .. format, function()
        ask(format)
        accept()
        local text = ended()
        assert.truthy(text:find('I change line 2.\n\n✓ edit_file a.c:2 +1 -1\n', 1, true), text)
        assert.truthy(
          text:find(
            '\n\nIt will return two – 😀.\n\n**Changes accepted**: a.c +1 -1\n',
            1,
            true
          ),
          text
        )
        assert.equal(AFTER, child:file('a.c'))
      end)
    end

    for _, format in ipairs(FORMATS) do
      it('has its change reviewed before it goes on, ' .. format, function()
        ask(format, "['chat.apply'] = 'each'")
        accept()
        local text = ended()
        assert.truthy(text:find('\n✓ edit_file a.c:2 +1 -1\n', 1, true), text)
        assert.truthy(text:find('\n\nIt returns two – 😎.\n\n# You\n', 1, true), text)
        assert.equal(AFTER, child:file('a.c'))
      end)
    end
  end)

  describe('behind oxide ask', function()
    local dir ---@type string

    before_each(function()
      dir = project.begin { ['a.c'] = BEFORE }
    end)

    after_each(project.finish)

    for _, format in ipairs(FORMATS) do
      it('edits by line number, ' .. format, function()
        helper.write(dir .. '.lua', ('return { %s }'):format(models(format)))
        local done = vim
          .system({
            helper.core,
            'ask',
            '--config',
            dir .. '.lua',
            '--data',
            helper.root .. '/lua/oxide',
            '--yes',
            '--file',
            'a.c',
            'return two',
          }, { cwd = dir, stdin = '', env = { XDG_STATE_HOME = dir .. '.state' } })
          :wait()
        assert.equal('I change line 2.\nIt will return two – 😀.\n', done.stdout, done.stderr)
        assert.equal('edit_file a.c:2\n', done.stderr)
        assert.equal(0, done.code)
        assert.equal(AFTER, project.get('a.c'))
      end)
    end
  end)
end)
