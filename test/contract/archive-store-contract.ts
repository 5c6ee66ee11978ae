// What lib/archive/archive-orders.ts promises of an archive, as stories: what was stored can be had again, line by line.
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ArchiveStore } from '../../lib/archive/archive-orders.ts';
import { createS3Archive } from '../../lib/archive/s3-archive.ts';
import { newDynamoDbClient } from '../../lib/aws/dynamodb-client.ts';
import { localCalls } from '../../lib/local/local-limits.ts';
import { archiveObject } from '../../lib/payout/due-work.ts';

/** An archive, and the lines of one of its objects. */
export interface StoreAndReader {
  readonly archive: ArchiveStore;
  readonly linesOf: (id: string) => Promise<readonly string[]>;
}

/** Runs the suite. */
export function describeArchiveStore(name: string, make: () => Promise<StoreAndReader>): void {
  describe(`an archive ${name}`, () => {
    const lines = ['{"key":"acme-eu/INV-7","context":{"note":"żółć"}}', '{"key":"acme-eu/INV-8"}'];

    it('gives back what it stored, to the last byte', async () => {
      const { archive, linesOf } = await make();
      expect(await linesOf(await archive.store(lines))).toEqual(lines);
    });

    it('stores the same lines under the same id, and others under another', async () => {
      const { archive, linesOf } = await make();
      const id = await archive.store(lines);
      expect(await archive.store(lines)).toBe(id);
      expect(await archive.store(lines.slice(1))).not.toBe(id);
      expect(await linesOf(id)).toEqual(lines);
    });
  });
}

/** A bucket at this address, path-style, and a reader that asks without a signature. */
export async function inBucket(url: string): Promise<StoreAndReader> {
  const bucket = `${url}/archive`;
  await fetch(bucket, { method: 'PUT' });
  const archive = s3ArchiveAt(bucket);
  return {
    archive,
    async linesOf(id) {
      const response = await fetch(`${bucket}/${archiveObject(id)}`);
      const text = gunzipSync(Buffer.from(await response.arrayBuffer())).toString('utf8');
      return text.split('\n').slice(0, -1);
    },
  };
}

/** With the credentials of tests. */
export function s3ArchiveAt(url: string, timeoutMs = 5_000): ArchiveStore {
  const credentials = { accessKeyId: 'fake', secretAccessKey: 'fake' };
  const client = newDynamoDbClient(localCalls, { region: 'eu-central-1', credentials });
  return createS3Archive({ client, url, timeoutMs, nowMs: () => Date.UTC(2026, 10, 22) });
}
