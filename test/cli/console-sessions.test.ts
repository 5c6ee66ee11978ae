// Who looks after two stages has two consoles in one browser. A browser keeps one jar of cookies for all ports of a machine
// (RFC 6265, section 8.5): each console must find its own in it.
import { afterEach, expect, it } from 'vitest';
import { type ConsoleScene, startConsole } from '../../lib/cli/console/console-server.ts';
import type { OwnEndpoint } from '../../lib/local/own-hosts.ts';

const consoles: OwnEndpoint[] = [];
afterEach(() => Promise.all(consoles.splice(0).map((it) => it.close())));

async function aConsole(stage: string): Promise<string> {
  const scene: Partial<ConsoleScene> = { stage, isReadOnly: true };
  const console = await startConsole(scene as ConsoleScene);
  consoles.push(console);
  return console.url;
}

/** A browser: cookies by their names, whatever port has set them. */
function aBrowser() {
  const jar = new Map<string, string>();
  return async (address: string) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(address, { redirect: 'manual', headers: { cookie } });
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(answer.headers.get('set-cookie') ?? '') ?? [];
    if (name !== '') jar.set(name, value);
    return answer.status;
  };
}

it('the console of one stage serves on when that of another is opened beside it', async () => {
  const [dev, prod] = [await aConsole('stage dev'), await aConsole('stage prod')];
  const browser = aBrowser();
  expect([await browser(dev), await browser(prod)]).toEqual([303, 303]);
  expect([await browser(new URL('/', dev).href), await browser(new URL('/', prod).href)]).toEqual([200, 200]);
});

it('the cookie of one console opens no other', async () => {
  const [dev, prod] = [await aConsole('stage dev'), await aConsole('stage prod')];
  const browser = aBrowser();
  expect(await browser(dev)).toBe(303);
  expect(await browser(new URL('/', prod).href)).toBe(403);
});
