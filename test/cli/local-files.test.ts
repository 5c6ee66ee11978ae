// Files that are no files of jobs, given to `payouts local`: each is told by its place and how to mend it, before anything
// is started, with exit code 2 and without a stack.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { runCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();
const job = JSON.stringify(aPayoutJob({ context: { note: 'thanks' } }));
const rule = 'a file of jobs is UTF-8 text, one JSON object per line';

describe.concurrent('a file of jobs', () => {
  it.each<[name: string, content: string | Uint8Array, said: string]>([
    ['empty.jsonl', '', 'holds no jobs; write one JSON object per line'],
    ['blank.jsonl', '\n  \n', 'holds no jobs; write one JSON object per line'],
    ['program', new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0]), `holds zero bytes, so it is no text; ${rule}`],
    ['utf16.jsonl', Buffer.from(`\ufeff${job}`, 'utf16le'), `is UTF-16; ${rule}`],
    [
      'latin.jsonl',
      Buffer.from(`${job}\n${job.replace('thanks', 'für')}`, 'latin1'),
      ': line 2 is not UTF-8 text; save the file as UTF-8',
    ],
    ['book.xlsx', new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0x14]), `is a zip file; ${rule}`],
    ['jobs.gz', new Uint8Array([0x1f, 0x8b, 8]), 'is compressed; unpack it: `gunzip '],
    [
      'table.csv',
      'orderId;amount\nA;1\n',
      "If it is a table or a bank's file, look at it with: `npx --no payouts submit ",
    ],
    [
      'bank.xml',
      '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.03">',
      "If it is a table or a bank's file, look at it with: `npx --no payouts submit ",
    ],
    ['array.json', `[${job}]`, 'is one JSON array; write one object per line: jq -c ".[]" '],
    [
      'pretty.json',
      JSON.stringify(JSON.parse(job), null, 2),
      'is one JSON object over several lines; write it in one: jq -c . ',
    ],
    ['torn.jsonl', '{"version": 1,\n{"version"', `: no line of it is JSON; ${rule}`],
    [
      'nul.jsonl',
      `${job}\n${job.replace('thanks', 'tha\u0001nks')}`,
      `: line 2, column ${job.indexOf('thanks') + 4} holds U+0001, which no queue takes; take it out, or write it as \\u0001`,
    ],
    [
      'huge.jsonl',
      JSON.stringify({ note: 'x'.repeat(2_000_000) }),
      ': line 1 is 2.0 MB long; a message may have 1048576 bytes',
    ],
  ])('%s', async (name, content, said) => {
    const file = join(directory.path(), name);
    await writeFile(file, content);
    const { code, stdout, stderr } = await runCli(['local', file], { cwd: directory.path(), startsNothing: true });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.replaceAll(file, 'FILE').trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(
      `${file}${said.startsWith(':') ? '' : ' '}${said}`.slice(said.startsWith('If') ? file.length + 1 : 0),
    );
  });
});
