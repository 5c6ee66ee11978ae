// The local console's server: a page on loopback and the few questions that it asks. Never part of a deployment.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { LocalScene } from './console-model.ts';
import { listenOnLoopback, type OwnEndpoint } from '../own-hosts.ts';
import { pageFile } from '../page-files.ts';

/** No other site's page may draw on this one, or have it drawn. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

type Body = Readonly<Record<string, unknown>>;
type Answer = (scene: LocalScene, body: Body) => Promise<unknown>;

const answers: Readonly<Record<string, Answer>> = {
  'GET /api/state': (scene) => scene.state(),
  'GET /api/signature': (scene) => scene.signature(),
  'POST /api/faults': (scene, body) => scene.setFaults(String(body['name'])),
  'POST /api/jobs': (scene, body) => scene.sendJobs(Number(body['count'])),
};

/** Starts it on a free port of 127.0.0.1. */
export async function startLocalConsole(scene: LocalScene): Promise<OwnEndpoint> {
  const server = createServer((request, response) => {
    answer(scene, request, response).catch((error: unknown) => {
      const reason = error instanceof RangeError ? error.message : 'the console could not answer';
      response.writeHead(error instanceof RangeError ? 400 : 500, headers).end(JSON.stringify({ error: reason }));
    });
  });
  return listenOnLoopback(server);
}

async function answer(scene: LocalScene, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const file = request.method === 'GET' ? await pageFile(pathname, import.meta.dirname) : undefined;
  if (file) {
    response.writeHead(200, { ...headers, 'content-type': file.type }).end(file.content);
    return;
  }
  const reply = answers[`${request.method} ${pathname}`];
  // A form of another site can't send JSON without being asked about it first.
  const isJson = request.method === 'GET' || request.headers['content-type'] === 'application/json';
  if (!reply || !isJson) {
    response.writeHead(reply ? 415 : 404, headers).end();
    return;
  }
  const found = await reply(scene, request.method === 'POST' ? ((await json(request)) as Body) : {});
  response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(found ?? null));
}
