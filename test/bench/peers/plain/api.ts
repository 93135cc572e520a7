import express, { type ErrorRequestHandler, type Request } from 'express';
import { endBySignal, serve } from '../child-program.ts';
import { createPost } from './create-post.ts';
import { openStores } from './environment.ts';
import { Keys, type ApiKey } from './keys.ts';
import { listPosts, readPost } from './read-posts.ts';
import { Refusal } from './refusal.ts';

// The plain service's API: Express in front of PostgreSQL, and a queue in Redis. It knows neither of the other process.

const stores = await openStores();
const keys = new Keys(stores.pool);
const keyOf = (request: Request): Promise<ApiKey> => keys.of(request.headers.authorization);

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get('/health', (_, response) => void response.json({}));
app.use(express.json({ limit: '1mb' }));

app.post('/api/posts', async (request, response) => {
  const { post, replayed } = await createPost(stores, await keyOf(request), request.body);
  if (replayed) response.set('idempotent-replayed', 'true');
  response.status(201).json({ data: post });
});
app.get('/api/posts', async (request, response) => {
  response.json(await listPosts(stores.pool, await keyOf(request), request.query));
});
app.get('/api/posts/:id', async (request, response) => {
  response.json({ data: await readPost(stores.pool, await keyOf(request), request.params.id) });
});

const refuse: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  if (error instanceof Refusal)
    return void response
      .status(error.status)
      .json({ error: { code: error.code, message: error.message, ...error.facts } });
  // Express says by `status` what was wrong with a body that it could not parse.
  const status = (error as { readonly status?: number }).status ?? 500;
  if (status >= 500) console.error(error);
  response.status(status).json({ error: { code: status < 500 ? 'invalid_request' : 'unavailable' } });
};
app.use(refuse);

serve(app);
endBySignal(async () => {
  await stores.publishing.close();
  await stores.pool.end();
});
