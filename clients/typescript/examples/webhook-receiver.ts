// Takes webhooks. Web standards only, so the same function serves Node, Deno, Bun and Workers.
import { createServer } from 'node:http';
import { verifyWebhook, WebhookSignatureError } from '@crier/client';

export async function receive(header: string | null, body: string, secret: string): Promise<number> {
  try {
    const event = await verifyWebhook({ secret, header, body });
    // Your work goes here. An event may come twice: remember event.id.
    console.log(`${event.type} on ${event.data.variant.network}: ${event.id}`);
    return 204;
  } catch (error) {
    if (error instanceof WebhookSignatureError) return 401;
    throw error;
  }
}

const secret = process.env['WEBHOOK_SECRET']!;
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    const header = request.headers['service-signature'];
    // Crier sends HEAD when the endpoint is registered.
    const status = request.method === 'POST' ? receive(header ? String(header) : null, body, secret) : 204;
    void Promise.resolve(status).then((code) => response.writeHead(code).end());
  });
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(`listening on http://127.0.0.1:${address.port}`);
});
