-- An opinion on texts, for the scripted server: wherever a word of the script's `lint` stands, it
-- complains, for the version it was shown, and offers what the script says.
--   lint = { { word, severity, code, message, fixes = { FIX... } } ... }
-- With the capability `diagnosticProvider` it complains when it is asked, not by itself.
-- A FIX: `title`, and `new`, what the word becomes, or `top`, what is put before the first line;
-- `preferred`, `kind`, `disabled`; how = "edit" (default), "resolve" (the edit comes with the
-- details), "command" (fake.change, which asks for the edit), "client" (a command of nobody's), or
-- "none" (an action that changes nothing).
---@param server fake.Server
return function(server)
  local M = {}

  local function place(line, from, to)
    return {
      start = { line = line, character = from },
      ['end'] = { line = line, character = to },
    }
  end

  local function complaints(text)
    local list, n = {}, 0
    for line in (text .. '\n'):gmatch('([^\n]*)\n') do
      for _, rule in ipairs(server.script.lint) do
        local at, last = line:find(rule.word, 1, true)
        while at do
          table.insert(list, {
            range = place(n, at - 1, last),
            severity = rule.severity or 1,
            code = rule.code or rule.word,
            source = 'fake',
            message = rule.message or rule.word .. ' is wrong',
          })
          at, last = line:find(rule.word, last + 1, true)
        end
      end
      n = n + 1
    end
    return list
  end

  local is_asked = (server.script.capabilities or {}).diagnosticProvider

  function M.publish(uri)
    if is_asked then
      return
    end
    local doc = server.docs[server.path(uri)]
    server.notify('textDocument/publishDiagnostics', {
      uri = uri,
      version = doc.version,
      diagnostics = complaints(doc.text),
    })
  end

  local function edit(uri, fix, range)
    local change = fix.top and { range = place(0, 0, 0), newText = fix.top }
      or { range = range, newText = fix.new }
    return { changes = { [uri] = { change } } }
  end

  local function action(uri, fix, diagnostic)
    local a = {
      title = fix.title,
      kind = fix.kind or 'quickfix',
      isPreferred = fix.preferred,
      disabled = fix.disabled and { reason = fix.disabled } or nil,
      diagnostics = { diagnostic },
    }
    local how, change = fix.how or 'edit', edit(uri, fix, diagnostic.range)
    if how == 'edit' then
      a.edit = change
    elseif how == 'resolve' then
      a.data = change
    elseif how == 'command' or how == 'client' then
      local name = how == 'command' and 'fake.change' or 'nobody.knows'
      a.command = { title = fix.title, command = name, arguments = { change } }
    end
    return a
  end

  local answers = {
    ['textDocument/diagnostic'] = function(params)
      local doc = server.docs[server.path(params.textDocument.uri)]
      return { kind = 'full', items = complaints(doc.text) }
    end,
    ['textDocument/codeAction'] = function(params)
      local list = {}
      for _, diagnostic in ipairs(params.context.diagnostics) do
        for _, rule in ipairs(server.script.lint) do
          for _, fix in ipairs((rule.code or rule.word) == diagnostic.code and rule.fixes or {}) do
            table.insert(list, action(params.textDocument.uri, fix, diagnostic))
          end
        end
      end
      return list
    end,
    ['codeAction/resolve'] = function(params)
      params.edit = params.data
      return params
    end,
    ['workspace/executeCommand'] = function(params)
      server.request('workspace/applyEdit', { edit = params.arguments[1] })
      return vim.NIL
    end,
  }

  ---@return table? step   what to answer, where it has an answer
  function M.step(method, params)
    return answers[method] and { result = answers[method](params) }
  end

  M.capabilities = {
    codeActionProvider = { resolveProvider = true },
    executeCommandProvider = { commands = { 'fake.change' } },
  }

  return M
end
