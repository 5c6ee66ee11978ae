// A payout worker of Powertools batch and idempotency, axios and oauth-1.0a, as their documentation shows them.
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import type { BasePersistenceLayer } from '@aws-lambda-powertools/idempotency/persistence';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { AxiosInstance } from 'axios';
import { type PeerJob, type PeerResult, type PeerSecret, readAnswer, signedPayout } from './peer-order.ts';

/** What surrounds the design. */
interface PowertoolsEdges {
  readonly persistenceStore: BasePersistenceLayer;
  readonly secretOf: (merchant: string) => Promise<PeerSecret>;
  readonly http: AxiosInstance;
  readonly tell: (result: PeerResult) => Promise<void>;
}

/** The handler of the jobs queue. */
export function createPowertoolsHandler({ persistenceStore, secretOf, http, tell }: PowertoolsEdges) {
  const config = new IdempotencyConfig({ eventKeyJmesPath: '[merchant, orderId]', throwOnNoIdempotencyKey: true });
  const processor = new BatchProcessor(EventType.SQS);
  const pay = makeIdempotent(
    async (job: PeerJob) => {
      const { url, body, headers } = signedPayout(job, await secretOf(job.merchant));
      const { status, data } = await http.post<string>(url, body, { headers, responseType: 'text', timeout: 30_000 });
      return { ...readAnswer(job, status, data) };
    },
    { persistenceStore, config },
  );
  const takeOne = async (record: SQSRecord) => {
    await tell(await pay(JSON.parse(record.body) as PeerJob));
  };
  return async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    config.registerLambdaContext(context);
    return processPartialResponse(event, takeOne, processor, { context, processInParallel: true });
  };
}
