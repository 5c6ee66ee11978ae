// Data keys of KMS: one an hour seals, each is asked for once, and a reader of rows hears whether KMS gives any.
import { DecryptCommand, GenerateDataKeyCommand, type KMSClient } from '@aws-sdk/client-kms';
import { beforeEach, expect, it } from 'vitest';
import { createKmsDataKeys } from '../../lib/aws/kms-data-keys.ts';
import type { DataKeys } from '../../lib/payout/wait/body-seal.ts';

const hour = 3_600_000;

let nowMs: number;
let calls: string[];
let fails: 'nothing' | 'everything' | 'decrypt';
let keys: DataKeys;

beforeEach(() => {
  [nowMs, calls, fails] = [0, [], 'nothing'];
  const client = {
    async send(command: unknown) {
      if (command instanceof GenerateDataKeyCommand) {
        calls.push('generate');
        if (fails === 'everything') throw new Error('DisabledException');
        const name = Buffer.from(`key-${calls.length}`);
        return { Plaintext: Uint8Array.from(name), CiphertextBlob: Uint8Array.from(name) };
      }
      if (!(command instanceof DecryptCommand)) throw new Error('not asked for');
      calls.push('decrypt');
      if (fails !== 'nothing') throw new Error('InvalidCiphertextException');
      return { Plaintext: command.input.CiphertextBlob };
    },
  };
  keys = createKmsDataKeys({ newClient: () => client as unknown as KMSClient, keyId: 'key', nowMs: () => nowMs });
});

it('one is made an hour, and opened without a call where it was made here', async () => {
  const first = await keys.current();
  expect(await keys.current()).toBe(first);
  expect(await keys.unwrap(first.wrapped)).toEqual(first.plain);
  expect(calls).toEqual(['generate']);
  nowMs += hour;
  expect((await keys.current()).wrapped).not.toBe(first.wrapped);
  expect(calls).toEqual(['generate', 'generate']);
});
