// The desk's contract on moto.
import { describe, inject } from 'vitest';
import { describeSecretDesk } from '../contract/secret-desk-contract.ts';

const motoUrl = inject('moto');

describe.skipIf(motoUrl === null)('moto', () => {
  describeSecretDesk('moto', () => motoUrl ?? '', { readsMoved: false });
});
