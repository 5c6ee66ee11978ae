// A real browser (Debian's Chromium) for the consoles' tests. Without one they fail: a page that no browser has seen is
// not tested.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];
const flags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'];

/** Starts the browser; CHROMIUM names a program elsewhere. */
export async function launchBrowser(): Promise<Browser> {
  const program = process.env['CHROMIUM'] ?? programs.find((file) => existsSync(file));
  if (!program) throw new Error('there is no Chromium: install it (apt-get install chromium), or name one in CHROMIUM');
  return chromium.launch({ executablePath: program, args: flags });
}
