// Rights that roles have and the run of rights.test.ts does not use, each with its reason.

/** Rights that this run does not use, and why they are there. */
export const unused: readonly (readonly [right: string, why: string])[] = [
  ['Submit sqs:ReceiveMessage ${JobsQueue.Arn}', 'Lambda takes messages in the name of the function'],
  ['Submit sqs:DeleteMessage ${JobsQueue.Arn}', 'the same'],
  ['Submit sqs:GetQueueAttributes ${JobsQueue.Arn}', 'the same'],
  ['Submit sqs:ReceiveMessage ${BatchJobsQueue.Arn}', 'the same'],
  ['Submit sqs:DeleteMessage ${BatchJobsQueue.Arn}', 'the same'],
  ['Submit sqs:GetQueueAttributes ${BatchJobsQueue.Arn}', 'the same'],
  ['Submit sqs:ReceiveMessage ${LinesQueue.Arn}', 'the same'],
  ['Submit sqs:DeleteMessage ${LinesQueue.Arn}', 'the same'],
  ['Submit sqs:GetQueueAttributes ${LinesQueue.Arn}', 'the same'],
  ['Inquire sqs:ReceiveMessage ${ChecksQueue.Arn}', 'the same'],
  ['Inquire sqs:DeleteMessage ${ChecksQueue.Arn}', 'the same'],
  ['Inquire sqs:GetQueueAttributes ${ChecksQueue.Arn}', 'the same'],
  ['Inquire sqs:ReceiveMessage ${CallbacksQueue.Arn}', 'the same'],
  ['Inquire sqs:DeleteMessage ${CallbacksQueue.Arn}', 'the same'],
  ['Inquire sqs:GetQueueAttributes ${CallbacksQueue.Arn}', 'the same'],
  ['Sweep dynamodb:GetItem ${LedgerTable.Arn}', 'a batch that another sweep has moved on first is read again'],
  [
    'Inquire dynamodb:UpdateItem ${ControlsTable.Arn}',
    'a late refusal gives back to its day, and a look begins a lane without an item',
  ],
  ['Inquire dynamodb:GetItem ${BatchesTable.Arn}', 'whether two persons decide, where an order bears a person’s word'],
  ['Sweep dynamodb:GetItem ${BatchesTable.Arn}', 'a batch of which a row has changed late is read by its id'],
];

/** Rights that a run uses or not, as it happens, and when. */
export const usedAtTimes: readonly (readonly [right: string, when: string])[] = [
  ['Submit dynamodb:BatchGetItem ${WaitingTable.Arn}', 'a second message of an order that waits looks for a place'],
  ['Submit dynamodb:UpdateItem ${WaitingTable.Arn}', 'what waited waits again, for another reason'],
  ['Sweep dynamodb:Query ${WaitingTable.Arn}/index/line', 'lines are measured in one minute of five'],
  ['Inquire dynamodb:BatchGetItem ${ControlsTable.Arn}', 'a look that opens a lane reads who works its line'],
  ['Inquire sqs:SendMessage ${LinesQueue.Arn}', 'the same begins that line, where nobody works it'],
  ['Sweep sqs:SendMessage ${LinesQueue.Arn}', 'a line whose drain was lost begins again'],
];
