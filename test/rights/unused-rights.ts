// Rights that roles have and the run of rights.test.ts does not use, each with its reason.

/** Rights that this run does not use, and why they are there. */
export const unused: readonly (readonly [right: string, why: string])[] = [
  ['Submit sqs:ReceiveMessage ${JobsQueue.Arn}', 'Lambda takes messages in the name of the function'],
  ['Submit sqs:DeleteMessage ${JobsQueue.Arn}', 'the same'],
  ['Submit sqs:GetQueueAttributes ${JobsQueue.Arn}', 'the same'],
  ['Submit sqs:ReceiveMessage ${BatchJobsQueue.Arn}', 'the same'],
  ['Submit sqs:DeleteMessage ${BatchJobsQueue.Arn}', 'the same'],
  ['Submit sqs:GetQueueAttributes ${BatchJobsQueue.Arn}', 'the same'],
  ['Submit sqs:ReceiveMessage ${ReferencesQueue.Arn}', 'the same'],
  ['Submit sqs:DeleteMessage ${ReferencesQueue.Arn}', 'the same'],
  ['Submit sqs:GetQueueAttributes ${ReferencesQueue.Arn}', 'the same'],
  ['Inquire sqs:ReceiveMessage ${ChecksQueue.Arn}', 'Lambda takes them in the name of the function'],
  ['Inquire sqs:DeleteMessage ${ChecksQueue.Arn}', 'the same'],
  ['Inquire sqs:GetQueueAttributes ${ChecksQueue.Arn}', 'the same'],
  ['Inquire dynamodb:UpdateItem ${ControlsTable.Arn}', 'a look begins a lane without an item'],
  ['Submit sqs:SendMessage ${ChecksQueue.Arn}', 'an answer that the ledger does not take'],
  ['Inquire dynamodb:GetItem ${BatchesTable.Arn}', 'whether two persons decide, where an order bears a person’s word'],
  ['Callback dynamodb:GetItem ${BatchesTable.Arn}', 'the same'],
  ['Sweep dynamodb:GetItem ${BatchesTable.Arn}', 'a batch of which a row has changed late is read by its id'],
];

/** Rights that a run uses or not, as it happens, and when. */
export const usedAtTimes: readonly (readonly [right: string, when: string])[] = [
  ['Inquire dynamodb:UpdateItem ${WaitingTable.Arn}', 'what is found of an order brings its parked jobs forward'],
  ['Sweep dynamodb:GetItem ${LedgerTable.Arn}', 'a batch that another sweep has moved on first is read again'],
  ['Sweep dynamodb:BatchGetItem ${WaitingTable.Arn}', 'an expired job is read once more'],
  ['Sweep dynamodb:BatchGetItem ${ControlsTable.Arn}', 'lanes are read together'],
];
