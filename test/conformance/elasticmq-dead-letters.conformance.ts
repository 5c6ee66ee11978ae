// The dead-letter queue's contract on ElasticMQ.
import { describe, inject } from 'vitest';
import { describeDeadLetters } from '../contract/dead-letters-contract.ts';

const sqsUrl = inject('elasticMq');

describe.skipIf(sqsUrl === null)('ElasticMQ', () => {
  describeDeadLetters('ElasticMQ', () => sqsUrl ?? '');
});
