// From MCP's Streamable HTTP to a server on standard input and output, for test suites that speak
// HTTP only. It carries messages as they are and repairs nothing: what HTTP adds (sessions, streams,
// status codes) is all that it makes up.
//
// Each `initialize` starts a process, which is then the session; what names its revision in _meta
// goes to one process that all of those share.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

const META_VERSION = 'io.modelcontextprotocol/protocolVersion'
const META_SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
const BAD_REQUEST = new Set([-32020, -32021, -32022, -32600, -32602, -32700])
const NO_METHOD = -32601

class Session {
  constructor(argv, options) {
    this.id = randomUUID()
    this.streams = new Map() // id of a request as JSON -> its answer's stream
    this.open = null // GET: for what belongs to no request
    this.child = spawn(argv[0], argv.slice(1), { ...options, stdio: ['pipe', 'pipe', 'inherit'] })
    this.child.stdin.on('error', () => {})
    createInterface({ input: this.child.stdout }).on('line', (line) => this.take(line))
  }

  take(line) {
    const message = JSON.parse(line)
    const id = JSON.stringify(message.id)
    if (message.method === undefined && this.streams.has(id)) {
      const stream = this.streams.get(id)
      this.streams.delete(id)
      stream.finish(message)
    } else {
      this.streamFor(message)?.send(message)
    }
  }

  // The request that a message belongs to, if it tells; else the one that was made last.
  streamFor({ params }) {
    const subscription = params?._meta?.[META_SUBSCRIPTION]
    if (subscription !== undefined) return this.streams.get(JSON.stringify(subscription))
    const token = params?.progressToken
    const all = [...this.streams.values()]
    return all.find((s) => token !== undefined && s.token === token) ?? all.at(-1) ?? this.open
  }

  write(message) {
    this.child.stdin.write(JSON.stringify(message) + '\n')
  }

  end() {
    this.child.stdin.end()
  }
}

// One answer to a POST: plain JSON, or events as soon as something comes before the answer.
class Stream {
  constructor(response, headers, { token, stateless } = {}) {
    this.response = response
    this.headers = headers
    this.token = token
    this.stateless = stateless
    this.events = false
  }

  send(message) {
    if (!this.events) {
      this.events = true
      this.response.writeHead(200, { ...this.headers, 'content-type': 'text/event-stream' })
    }
    this.response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
  }

  finish(message) {
    if (this.events) {
      this.send(message)
      this.response.end()
      return
    }
    const code = this.stateless ? message.error?.code : undefined
    const status = code === NO_METHOD ? 404 : BAD_REQUEST.has(code) ? 400 : 200
    this.response.writeHead(status, { ...this.headers, 'content-type': 'application/json' })
    this.response.end(JSON.stringify(message))
  }
}

async function bodyOf(request) {
  const parts = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}

// Starts a bridge to what `argv` starts; resolves to { url, close }.
export async function bridge(argv, options) {
  const sessions = new Map()
  let shared = null

  // undefined: the client names a session that there is not.
  function sessionOf(request, message) {
    const id = request.headers['mcp-session-id']
    if (id !== undefined) return sessions.get(id)
    if (message.method === 'initialize' && message.params?._meta?.[META_VERSION] === undefined) {
      const session = new Session(argv, options)
      sessions.set(session.id, session)
      return session
    }
    shared ??= new Session(argv, options)
    return shared
  }

  async function post(request, response) {
    const message = JSON.parse(await bodyOf(request))
    const session = sessionOf(request, message)
    if (!session) {
      response.writeHead(404).end()
      return
    }
    if (message.method === undefined || message.id === undefined) {
      session.write(message)
      response.writeHead(202).end()
      return
    }
    const stateless = session === shared
    const id = JSON.stringify(message.id)
    const headers = message.method === 'initialize' && !stateless ? { 'mcp-session-id': session.id } : {}
    const token = message.params?._meta?.progressToken
    session.streams.set(id, new Stream(response, headers, { token, stateless }))
    response.on('close', () => {
      if (!response.writableFinished && session.streams.delete(id)) {
        session.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message.id } })
      }
    })
    session.write(message)
  }

  const server = createServer((request, response) => {
    const session = sessions.get(request.headers['mcp-session-id'])
    if (request.method === 'POST') {
      post(request, response)
    } else if (request.method === 'GET' && session) {
      session.open = new Stream(response, {})
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      session.open.events = true
    } else if (request.method === 'DELETE' && session) {
      sessions.delete(session.id)
      session.end()
      response.writeHead(204).end()
    } else {
      response.writeHead(405).end()
    }
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    close() {
      for (const session of [...sessions.values(), ...(shared ? [shared] : [])]) session.end()
      server.close()
      server.closeAllConnections()
    },
  }
}
