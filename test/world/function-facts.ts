// What Lambda and the SDK do around our code. Pages are those of the Lambda Developer Guide (`L/`), files those of
// smithy-lang/smithy-typescript (`smithy:`), `js#` issues of aws/aws-sdk-js-v3.
import type { Fact } from './fact.ts';

/** Lambda, its event sources and its clock. */
export const functionFacts: readonly Fact[] = [
  {
    does: 'Kills the process at the function time-out or at a crash. No `finally` runs.',
    breaks: 'What an attempt came to is not written: "unknown" must be what stands before anything is sent.',
    source: 'L/lambda-runtime-environment',
    fault: 'the process dies',
    bug: 'the order of a lost worker is sent again',
  },
  {
    does: 'Freezes the process after its answer, and for any time in the middle of a call by a host that is short; promises left open go on in a later invocation.',
    breaks: 'A lease is over while its holder still believes in it; a POST leaves minutes after its claim.',
    source: 'L/lambda-runtime-environment',
    fault: 'the process freezes',
    bug: 'the lease is not looked at before the POST',
  },
  {
    does: 'Runs a new version of the code beside the old one for minutes, over the same tables and queues.',
    breaks: 'Old code takes an item that it can not read for none at all, and claims the order anew.',
    source: 'L/configuration-aliases',
    fault: 'an older version meets a newer layout',
    tests: ['test/simulation/exhaustive.test.ts'],
    bug: 'an order of a newer version is taken for none',
  },
  {
    does: "Moves functions to their new versions one after the other, and leaves the tool on a person's machine as it is.",
    breaks:
      'The old door puts a callback into an item that it can not read, or the old sweeper a due time; a decision of the old tool covers what it has not seen.',
    source: 'L/configuration-aliases',
    fault: 'an older version meets a newer layout',
    tests: [
      'test/contract/dynamodb-orders.test.ts',
      'test/contract/dynamodb-looks.test.ts',
      'test/payout/operate/decide.test.ts',
    ],
    bug: 'the orders\' table is not asked for "v <= :layout"',
  },
  {
    does: 'Takes an answer without `batchItemFailures` (empty, null, a forgotten `return`) for the success of the whole batch; a throw or a wrong item for its failure.',
    breaks: 'Failed payments are deleted, or paid ones come again.',
    source: 'L/services-sqs-errorhandling, L/with-sqs',
    fault: 'a message is delivered twice',
    bug: 'the list of failed records is empty by accident',
  },
  {
    does: 'Backs off after errors of a function, but not where single messages are reported as failed.',
    breaks: 'An outage of the gateway burns every receive count at full speed.',
    source: 'L/services-sqs-errorhandling',
    tests: ['test/payout/retry-policy.test.ts', 'test/journey/retries-used-up.test.ts'],
  },
  {
    does: 'Drops a throttled invocation when its messages become visible: they come again one receive poorer.',
    breaks: 'Low concurrency fills the dead-letter queue with jobs that no code has seen.',
    source: 'L/services-sqs-errorhandling, L/with-sqs',
    tests: ['test/infra/stack.test.ts'],
  },
  {
    does: 'Wants a visibility time-out of six times the function time-out.',
    breaks: 'With equal values the second run starts while the first one pays.',
    source: 'L/with-sqs',
    fault: 'a message is delivered twice',
    tests: ['test/infra/stack.test.ts'],
    bug: 'an order is sent again once its lease is over',
  },
  {
    does: 'Counts, in a header that the SDK passes on, how often one chain of messages has come through a function, and takes the seventeenth away before its code sees it: to the dead-letter queue, if there is one. A batch belongs to every chain of its messages.',
    breaks: 'A job that waits by putting itself on its own queue is a dead letter at its seventeenth round.',
    source: 'L/invocation-recursion, aws/aws-sdk-js-v3 recursionDetectionMiddleware.ts',
    fault: "a message that goes round is taken away by Lambda's loop detection",
    tests: ['test/infra/stack.test.ts'],
    bug: 'what comes back from the dead letters is thrown away',
  },
  {
    does: 'Starts with five pollers, adds 300 a minute, and ends at 1,250 invocations at once. `MaximumConcurrency` bounds them, and never to one.',
    breaks:
      'A file of payouts meets the gateway with a thousand workers after five minutes; "one at a time" is a wish.',
    source: 'L/services-sqs-scaling, api:ScalingConfig',
    tests: ['test/infra/stack.test.ts', 'test/payout/lanes/lane-pace.test.ts'],
  },
  {
    does: 'Waits for a batch up to its window, cuts it at 6 MB, and hides it for window and time-out together.',
    breaks: 'The time that a message may take is counted from the wrong moment.',
    source: 'L/with-sqs, api:CreateEventSourceMapping',
    tests: ['test/infra/stack.test.ts'],
  },
  {
    does: 'Tries an invocation of a schedule again after an error, two times, and for six hours where it is throttled; then forgets it.',
    breaks: 'A sweep runs three times, or vanishes, and nobody hears of it.',
    source: 'L/invocation-async-error-handling, api:PutFunctionEventInvokeConfig',
    fault: 'a sweep overlaps another',
    tests: ['test/infra/stack.test.ts'],
    bug: 'a write stands without the version that it was decided on',
  },
  {
    does: 'Gives a new account 10 or 50 invocations at once, of which some must stay unreserved.',
    breaks: 'The first deployment fails, or a function of another team starves this one.',
    source: 'L/configuration-concurrency',
    tests: ['test/infra/stack.test.ts'],
  },
  {
    does: 'Runs a schedule twice for one minute, or not at all.',
    breaks: 'Two sweeps do the same work at once, or what only a sweep would find stands still.',
    source: 'EB/eb-troubleshooting, L/invocation-async-error-handling',
    fault: 'a sweep is missed',
    bug: 'the sweeper sends doubtful orders again instead of asking',
  },
  {
    does: 'Has as many clocks as processes. AWS keeps them close, and promises nothing about a thaw.',
    breaks: 'A lease is judged by one clock and held by another.',
    fault: 'clocks differ',
    bug: 'an order is sent again once its lease is over',
  },
  {
    does: 'Keeps memory and /tmp between invocations of one process.',
    breaks: 'Secrets or state of one job are seen by the next; a rotated key stays in use.',
    source: 'L/lambda-runtime-environment',
    fault: 'a key is rotated',
    bug: 'a 401 that answers the second try of a possibly processed request is believed',
  },
];

/** The SDK between us and AWS. */
export const sdkFacts: readonly Fact[] = [
  {
    does: 'Only warns when `requestTimeout` is over, unless `throwOnRequestTimeout` is set; has no time-out of its own by default, and none that covers a stalled TLS handshake.',
    breaks: 'One hanging call eats the invocation, and with it the answers of nine other orders.',
    source: 'smithy:set-request-timeout.ts, smithy:set-connection-timeout.ts',
    fault: 'a ledger call is done and its answer lost',
    tests: ['test/contract/aws-client-deadlines.test.ts', 'test/journey/hanging-aws.test.ts'],
    bug: 'an answer is dropped on its way to the own queue',
  },
  {
    does: 'Repeats a write whose answer was lost; the second try then meets what the first has written.',
    breaks: "The failed condition is read as a rival's claim, or a counter counts twice.",
    source: 'smithy:service-error-classification.ts, D/Programming.Errors',
    fault: 'a ledger call meets its own write',
    bug: 'a worker that finds the key gone takes the one that it remembers',
  },
  {
    does: 'Aborts a request on this side only: it may be done all the same, and much later.',
    breaks: '"Aborted" is taken for "not done".',
    source: 'smithy:node-http-handler.ts, js#5810',
    fault: 'a ledger write lands late',
    bug: 'a claim whose answer was lost is taken for won',
  },
  {
    does: 'Changes its own defaults with an upgrade: how often it tries, and how long it waits between.',
    breaks: 'Three tries that fitted into the invocation are four that do not.',
    source: 'js#8037',
    tests: ['test/contract/aws-client-deadlines.test.ts', 'test/payout/limits.test.ts'],
  },
  {
    does: 'Tries three times, each with its own time-out.',
    breaks: 'Three time-outs and their pauses are longer than the invocation.',
    source: 'smithy:constants.ts, smithy:retryMiddleware.ts',
    tests: ['test/contract/aws-client-deadlines.test.ts', 'test/payout/limits.test.ts'],
  },
  {
    does: 'Shares 50 sockets per host; what waits for one counts against the time-out.',
    breaks: 'A full pool seems to be a fault of the network.',
    source: 'smithy:node-http-handler.ts',
    tests: ['test/contract/aws-client-deadlines.test.ts'],
  },
  {
    does: 'Copies inputs and outputs into a logger that has `info`.',
    breaks: 'Card data and keys are in the log.',
    source: 'aws/aws-sdk-js-v3 loggerMiddleware.ts',
    tests: ['test/silence/silence.test.ts'],
  },
];
