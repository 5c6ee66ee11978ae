// What SQS does, the facts that the worker leans on first. Pages are those of the SQS Developer Guide (`SQS/`) and of the
// API reference (`api:`).
import type { Fact } from './fact.ts';

/** SQS. */
export const queueFacts: readonly Fact[] = [
  {
    does: 'Delivers at least once. A server that is down at the receive or at the delete keeps its copy, so a message may come again after a delete that succeeded.',
    breaks: '"Deleted" is taken for "never again": the second copy is a second payment.',
    source: 'SQS/standard-queues-at-least-once-delivery, api:DeleteMessage',
    fault: 'a deleted message comes again',
    bug: 'a message of an order that is accepted is sent again',
  },
  {
    does: 'May hand a message to a second consumer although its visibility time-out has not ended.',
    breaks: 'Invisibility is used as a lock: two workers pay at once.',
    source: 'SQS/sqs-visibility-timeout',
    fault: 'a message is delivered twice',
    bug: 'the first claim is written without its condition',
  },
  {
    does: 'Keeps no order: copies and neighbours arrive in any sequence.',
    breaks:
      'A cancel overtakes the job that it is about; an older copy acts on what it remembers. State must come from the ledger.',
    source: 'SQS/standard-queues',
    fault: 'messages arrive out of order',
    bug: 'a write stands without the version that it was decided on',
  },
  {
    does: 'Gives each receive a new receipt handle. A delete or a change of visibility by an older one may do nothing and still succeed, or may work.',
    breaks: 'A slow worker believes that it has acknowledged, or hides a message that another one works on.',
    source: 'api:DeleteMessage',
    fault: 'an old receipt handle works',
    bug: 'the message is acknowledged before its job is done',
  },
  {
    does: 'Counts a visibility time-out from the call, adds nothing, and ends it 12 hours after the receive at the latest; 43,200 s right after a receive is usually refused, 43,195 s works.',
    breaks: 'A long wait by visibility is refused late, and the message reappears in the middle of the work.',
    source: 'SQS/sqs-visibility-timeout, api:ChangeMessageVisibility',
    tests: ['test/payout/limits.test.ts', 'test/contract/queues-contract.ts'],
  },
  {
    does: 'Counts every delivery in ApproximateReceiveCount, also those that no code saw: a lost reply, a throttled invocation, a peek in the console.',
    breaks: 'The count is taken for the number of sends: jobs that were never tried end on the dead-letter queue.',
    source: 'SQS/avoiding-inconsistent-message-processing, SQS/sqs-dead-letter-queues',
    fault: 'the process dies',
    bug: 'the list of failed records is empty by accident',
  },
  {
    does: 'Moves a message to the dead-letter queue at a later receive, when the count exceeds maxReceiveCount, not at the last failure. When exactly is not documented.',
    breaks: 'The last failure is taken for the end of the message: nobody publishes anything about it.',
    fault: 'the process dies',
    bug: 'the list of failed records is empty by accident',
  },
  {
    does: 'Makes new messages at a redrive: new id, new time of sending, new retention.',
    breaks: 'Whoever de-duplicates by the message id pays again after a redrive.',
    source: 'SQS/sqs-dead-letter-queues',
    fault: 'dead letters are redriven',
    bug: 'a message of an order that is failed is sent again',
  },
  {
    does: 'Makes a second message, with another id, of a send whose answer was lost and that was sent again.',
    breaks:
      'The message id is used as the key of idempotency. A batch whose copy is not confirmed is copied once more, and so on: messages multiply.',
    fault: 'a queue call is done and its answer lost',
    bug: 'a result bears another revision when it goes out again',
  },
  {
    does: 'Answers a batch call with 200 and a list of entries that it did not take.',
    breaks: 'The unread list is lost jobs and lost results.',
    source: 'api:SendMessageBatch, api:DeleteMessageBatch',
    fault: 'a queue refuses some entries',
    bug: 'a result that the queue did not take is counted as told',
  },
  {
    does: 'May be out of reach for one call or for an hour.',
    breaks: 'What was only in memory (an answer of the gateway, a result) is gone with the process.',
    source: 'api:CommonErrors',
    fault: 'a queue is down',
    bug: 'an answer is dropped on its way to the own queue',
  },
  {
    does: 'Tells the age of the oldest message on a dead-letter queue from its move, and counts no moved message as sent.',
    breaks: 'The alarm on either stays silent over unresolved money.',
    source: 'SQS/setting-up-dead-letter-queue-retention, SQS/sqs-available-cloudwatch-metrics',
    tests: ['test/infra/stack.test.ts'],
  },
  {
    does: 'Empties a queue for 60 s after `PurgeQueue`: what is sent meanwhile is taken, and may vanish.',
    breaks: 'Purged and filled again, a queue has lost payments; nobody who works with them may have that right.',
    source: 'api:PurgeQueue',
    fault: 'the checks queue loses everything',
    tests: ['test/rights/staff.test.ts', 'test/rights/personas.test.ts'],
    bug: 'the horizon of doubt is ignored',
  },
  {
    does: 'Keeps the data key of an encrypted queue for minutes, per caller: a grant that is gone is missed later.',
    breaks: 'Sends fail five minutes after the change that broke them, and with them the last place for an answer.',
    source: 'SQS/sqs-key-management',
    fault: 'a queue is down',
    bug: 'an answer is dropped on its way to the own queue',
  },
  {
    does: 'Takes ten attributes of a message, with names of certain characters, and none that is empty.',
    breaks: 'What is carried in attributes is refused by the real service alone: a copy with an answer in it, say.',
    source: 'SQS/quotas-messages, api:MessageAttributeValue',
    tests: ['test/contract/queues-contract.ts'],
  },
  {
    does: 'Delays a message by 900 s at most.',
    breaks: 'A retry in an hour is refused, or comes four times as often as thought.',
    source: 'api:SendMessage',
    tests: ['test/payout/retry-policy.test.ts', 'test/contract/queues-contract.ts'],
  },
  {
    does: 'Forgets a message in silence when its retention ends: 4 days by default, 14 at most, counted from the first send also on the dead-letter queue of a standard queue.',
    breaks: 'A long stop of the worker is lost jobs; equal retentions let the evidence of unresolved money expire.',
    source: 'api:SetQueueAttributes, SQS/setting-up-dead-letter-queue-retention',
    fault: 'the checks queue loses everything',
    tests: ['test/infra/stack.test.ts', 'test/journey/lost-checks.test.ts'],
    bug: 'the horizon of doubt is ignored',
  },
  {
    does: 'Takes 1 MiB for a message and for a whole batch, attributes included, and of Unicode only what XML 1.0 allows.',
    breaks: 'Ten legal messages fail as one batch; a control character in a name kills the send.',
    source: 'api:SendMessageBatch, api:SendMessage',
    tests: ['test/aws/sqs-jobs-queue.test.ts', 'test/aws/sqs-results.test.ts', 'test/contract/queues-contract.ts'],
  },
  {
    does: 'Keeps about 120,000 messages in flight per queue; above that a long poll gets nothing and no error.',
    breaks: 'The worker seems idle over a full queue.',
    source: 'SQS/sqs-visibility-timeout, L/services-sqs-scaling',
    tests: ['test/infra/stack.test.ts'],
  },
  {
    does: 'Treats MessageGroupId on a standard queue as a hint of fairness: no order, no exclusion.',
    breaks: 'The group is used as a mutex per account.',
    source: 'SQS/sqs-fair-queues-detailed',
    fault: 'a message is delivered twice',
    bug: 'an order is counted towards its cap only after its POST',
  },
];
