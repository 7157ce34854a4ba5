-- What the words of the sub-commands of :Oxide do, for the window beside the menu that completes them.

local diagnostics = {
  buffer = 'those of the buffer',
  project = 'those of the whole project',
  loc = 'into the location list of this window',
  ['min=error'] = 'errors alone',
  ['min=warn'] = 'errors and warnings',
  ['min=info'] = 'all but hints',
  ['min=hint'] = 'all of them',
}

local fix = {
  cursor = 'on the line of the cursor',
  buffer = 'in the whole buffer',
  project = 'in the whole project',
  ['kind='] = 'only fixes of this kind, such as quickfix.import',
  ['code='] = 'only for diagnostics with this code',
}

local chat = {
  context = 'list what the next message sends along',
  mode = 'set the mode of the agent, one of its own',
  model = 'another model answers from the next message on',
  new = 'begin another conversation',
  resume = 'take up a conversation that was kept',
  sessions = "go on with a session of an agent's own",
}

--- By sub-command. A word with "=" stands for all that begin with it. `at`: which argument they are, where
--- that is not the first; 0: any. `others` tells of a word that is not among them.
---@type table<string, { at?: integer, words: table<string, string>, others?: fun(word: string): string? }>
return {
  actions = { at = 0, words = { ['kind='] = 'only actions of this kind, such as refactor' } },
  agent = {
    words = { export = 'write the record of a session as one JSON file' },
    others = function(name)
      for _, row in ipairs(require('oxide.agent_terminal').known()) do
        if row.name == name then
          local missing = row.install and 'not installed: ' .. row.install or 'not installed'
          return ('%s, %s'):format(row.title, row.here and 'in a terminal' or missing)
        end
      end
    end,
  },
  ask = { words = { ['model='] = 'this model answers, from now on' } },
  chat = {
    words = chat,
    others = function(name)
      return 'the conversation that was used last, or a new one, with ' .. name
    end,
  },
  context = {
    at = 0,
    words = {
      ['to=chat'] = 'into the message of the chat',
      ['to=scratch'] = 'into a window of its own',
      ['to='] = 'into this register',
    },
  },
  core = {
    words = {
      status = 'what is running, as :Oxide alone shows it',
      restart = 'restart the core, or the language server that is named',
      stop = 'stop the core; the next command starts it',
      log = "open the core's log",
    },
  },
  diagnostics = { at = 0, words = diagnostics },
  edit = {
    at = 2,
    words = {
      replace = "put a register's text in its place",
      replace_body = "put a register's text in place of its body",
      insert_before = "put a register's text before it",
      insert_after = "put a register's text behind it",
      delete = 'delete it',
    },
  },
  fix = { at = 0, words = fix },
  format = {
    at = 0,
    words = {
      changed = 'only the lines that differ from the last commit',
      ['timeout='] = 'wait for at most so many milliseconds',
      ['client='] = 'let this server format',
    },
  },
  ide = {
    words = {
      start = 'start the servers that Claude Code and Gemini CLI connect to',
      stop = 'stop them',
      status = 'tell who is connected',
      mention = 'put the file, or the range, to the prompts of those connected',
    },
  },
  mcp = {
    words = {
      config = 'show what to paste into the configuration of a client',
      status = 'show who is connected to this editor, and what they called',
    },
  },
  projects = {
    words = {
      add = 'load one more, from a directory',
      remove = 'unload one, and stop its servers',
      use = 'make it the one for commands that name no file',
    },
  },
  review = {
    words = {
      apply = 'apply what is kept',
      discard = 'discard the change',
      next = 'go to its next hunk',
      prev = 'go to the hunk before',
      accept = 'keep the hunk at its cursor, or the file',
      reject = 'leave out the hunk at its cursor, or the file',
    },
  },
  signature = { words = { ['of='] = 'of the function with this name' } },
  test = {
    words = {
      nearest = 'the test at the cursor, or the next one above',
      file = 'the tests of this file',
      last = 'what was run last',
      failed = 'what failed the last time',
      output = 'show what the failure at the cursor printed',
    },
  },
  turn = {
    words = {
      undo = 'undo all that it changed',
      redo = 'make it again',
      review = 'choose in a review what is undone',
      diff = 'show it as a diff',
      accept = 'accept what waits for your review',
      reject = 'reject what waits for your review',
    },
  },
}
