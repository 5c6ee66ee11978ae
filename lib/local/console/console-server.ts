// The local console's server: a page on loopback and the few questions that it asks. Never part of a deployment.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { LocalScene } from './console-model.ts';
import { isOwnRequest } from '../own-hosts.ts';

/** A running console. */
export interface LocalConsole {
  readonly url: string;
  close(): Promise<void>;
}

const files: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  '/': { name: 'console.html', type: 'text/html; charset=utf-8' },
  '/console.js': { name: 'console.js', type: 'text/javascript; charset=utf-8' },
  '/console.css': { name: 'console.css', type: 'text/css; charset=utf-8' },
};

/** No other site's page may draw on this one, or have it drawn. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

type Answer = (scene: LocalScene, question: Question) => Promise<unknown>;
type Question = { readonly search: URLSearchParams; readonly body: Readonly<Record<string, unknown>> };

const answers: Readonly<Record<string, Answer>> = {
  'GET /api/state': (scene) => scene.state(),
  'GET /api/order': (scene, { search }) => scene.order(search.get('order') ?? ''),
  'GET /api/signature': (scene) => scene.signature(),
  'POST /api/faults': (scene, { body }) => scene.setFaults(String(body['name'])),
  'POST /api/jobs': (scene, { body }) => scene.sendJobs(Number(body['count'])),
};

/** Starts it on a free port of 127.0.0.1. */
export async function startLocalConsole(scene: LocalScene): Promise<LocalConsole> {
  const server = createServer((request, response) => {
    answer(scene, request, response).catch((error: unknown) => {
      const reason = error instanceof RangeError ? error.message : 'the console could not answer';
      response.writeHead(error instanceof RangeError ? 400 : 500, headers).end(JSON.stringify({ error: reason }));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(scene: LocalScene, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isOwnRequest(request.headers)) {
    response.writeHead(403, headers).end();
    return;
  }
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const file = request.method === 'GET' ? files[pathname] : undefined;
  if (file) {
    const text = await readFile(join(import.meta.dirname, 'page', file.name));
    response.writeHead(200, { ...headers, 'content-type': file.type }).end(text);
    return;
  }
  const reply = answers[`${request.method} ${pathname}`];
  // A form of another site can't send JSON without being asked about it first.
  const isJson = request.method === 'GET' || request.headers['content-type'] === 'application/json';
  if (!reply || !isJson) {
    response.writeHead(reply ? 415 : 404, headers).end();
    return;
  }
  const body = request.method === 'POST' ? ((await json(request)) as Question['body']) : {};
  const found = await reply(scene, { search: searchParams, body });
  response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(found ?? null));
}
