// The dead-letter queue's contract on moto.
import { describe, inject } from 'vitest';
import { describeDeadLetters } from '../contract/dead-letters-contract.ts';

const sqsUrl = inject('moto');

describe.skipIf(sqsUrl === null)('moto', () => {
  describeDeadLetters('moto', () => sqsUrl ?? '', { saysSource: false });
});
