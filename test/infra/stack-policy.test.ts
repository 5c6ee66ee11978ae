// What no update may replace or delete: every queue, table and key that the stack retains holds something that is nowhere else.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import intended from '../../lib/doctor/intended-stack.json' with { type: 'json' };

it('every queue, table and key that is retained is kept from replacement and deletion, too', async () => {
  const policy = JSON.parse(await readFile(new URL('../../infra/stack-policy.json', import.meta.url), 'utf8')) as {
    Statement: { Sid?: string; Resource: string | string[] }[];
  };
  const kept = policy.Statement.find(({ Sid }) => Sid === 'WhatCannotBeHadAgain')?.Resource;
  const retained = Object.entries<{ Type: string; UpdateReplacePolicy?: string }>(intended.Resources)
    .filter(([, it]) => /::(Queue|Table|Key)$/.test(it.Type) && it.UpdateReplacePolicy === 'Retain')
    .map(([id]) => `LogicalResourceId/${id}`);
  expect(retained.filter((it) => !kept?.includes(it))).toEqual([]);
});
