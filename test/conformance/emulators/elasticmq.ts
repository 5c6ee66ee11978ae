// ElasticMQ: SQS with strict limits, from Maven Central; queues in memory.
import { join } from 'node:path';
import { type EmulatorProcess, startEmulator } from './emulator-process.ts';
import { javaFlags, mavenTool } from './maven.ts';

/** How it is installed. */
export const elasticMqTool = mavenTool('ElasticMQ', join(import.meta.dirname, 'elasticmq.pom.xml'));

/** Starts it. Its queue URLs name the node address, and the SDK sends to whatever host a queue URL names. */
export const startElasticMq = (directory: string): Promise<EmulatorProcess> =>
  startEmulator('ElasticMQ', (port) => ({
    program: 'java',
    args: [
      ...javaFlags,
      ...Object.entries(settings(port)).map(([name, value]) => `-D${name}=${value}`),
      '-cp',
      'jars/*',
      'org.elasticmq.server.Main',
    ],
    cwd: directory,
  }));

const settings = (port: number) => ({
  'node-address.host': '127.0.0.1',
  'node-address.port': port,
  'rest-sqs.bind-hostname': '127.0.0.1',
  'rest-sqs.bind-port': port,
  'rest-sqs.sqs-limits': 'strict',
  'rest-stats.enabled': false,
  'aws.region': 'eu-central-1',
  'aws.accountId': '000000000000',
});
