// A model's server with TLS on loopback, HTTP/2 where the client wants it: node tls_model.js KEY CERT
// Prints its port, then the HTTP version of each request.
const fs = require('fs');
const http2 = require('http2');

const delta = (delta, finish_reason) =>
	`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

const server = http2.createSecureServer({
	key: fs.readFileSync(process.argv[2]),
	cert: fs.readFileSync(process.argv[3]),
	allowHTTP1: true,
}, (request, response) => {
	console.log(request.httpVersion);
	request.resume();
	request.on('end', () => {
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		response.write(delta({ content: 'Hello.' }, null));
		response.end(delta({}, 'stop') + 'data: [DONE]\n\n');
	});
});

server.listen(0, '127.0.0.1', () => console.log(server.address().port));
