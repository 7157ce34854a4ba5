-- What the scripted server can be told to do; each is a table with one of these members:
--   notify, params      request, params     a message of the server's own; {ROOT} is filled in;
--                       times = N: the request comes that often
--   raw = BYTES         times = N: that often; for headers and bodies as they should not be
--   progress = begin|report|end, token, title, message      (create = true: announced before)
--   publish = PATH, version = same|none|N, diagnostics      diagnostics for a file
--   stderr = N          that many bytes of chatter
--   release = NAME      the answer that was held goes out
--   exit = CODE         kill = true, stop = true: SIGKILL and SIGSTOP to itself
--   stubborn = true     from here on neither SIGTERM nor the end of its input ends it
--   deaf = true         reads no more          mute = true: closes its output, and lives on
local ffi = require('ffi')

ffi.cdef([[
  void *signal(int number, void *handler);
  int raise(int number);
  int close(int fd);
]])
local SIGKILL, SIGTERM, SIGSTOP = 9, 15, 19
local IGNORE = ffi.cast('void *', 1)

---@param server fake.Server
return function(server)
  local act, verbs = {}, {}

  function verbs.notify(a)
    server.notify(a.notify, a.params)
  end

  function verbs.request(a)
    for _ = 1, a.times or 1 do
      server.request(a.request, a.params)
    end
  end

  function verbs.raw(a)
    server.raw(a.raw:rep(a.times or 1))
  end

  function verbs.progress(a)
    local token = a.token or 'work'
    if a.create then
      server.request('window/workDoneProgress/create', { token = token })
    end
    local value = { kind = a.progress, title = a.title, message = a.message }
    server.notify('$/progress', { token = token, value = value })
  end

  function verbs.publish(a)
    local path = server.fill(a.publish)
    local doc = server.docs[path]
    local version = a.version
    if version == 'same' then
      version = doc and doc.version
    elseif version == 'none' then
      version = nil
    end
    server.notify('textDocument/publishDiagnostics', {
      uri = vim.uri_from_fname(path),
      version = version,
      diagnostics = a.diagnostics or {},
    })
  end

  function verbs.stderr(a)
    local line = ('chatter '):rep(127) .. 'chatter\n'
    for _ = 1, math.ceil(a.stderr / #line) do
      io.stderr:write(line)
    end
  end

  function verbs.release(a)
    local say = server.held[a.release]
    server.held[a.release] = nil
    say()
  end

  function verbs.exit(a)
    os.exit(a.exit)
  end

  function verbs.kill()
    ffi.C.raise(SIGKILL)
  end

  function verbs.stop()
    server.log { stops = true }
    ffi.C.raise(SIGSTOP)
  end

  function verbs.stubborn()
    ffi.C.signal(SIGTERM, IGNORE)
    server.stubborn = true
  end

  function verbs.deaf()
    server.stdin:read_stop()
  end

  function verbs.mute()
    ffi.C.close(1)
  end

  function act.one(action)
    for verb, run in pairs(verbs) do
      if action[verb] ~= nil then
        return run(action)
      end
    end
    error('no such action: ' .. vim.inspect(action))
  end

  function act.all(actions)
    for _, action in ipairs(actions or {}) do
      act.one(action)
    end
  end

  return act
end
