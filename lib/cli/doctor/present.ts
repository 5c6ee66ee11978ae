// The interface between the doctor and the readers of the account.
import type { Properties } from '../../doctor/stack.ts';
import type { Made, TemplateResource } from './evaluated.ts';

/** A service's description of one resource. */
export interface Present {
  /** As the template would say them; undefined for what is not set. A property that is missing here is believed. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** Resources that are attached to it and not in the template, by a name beside its own. */
  readonly beside?: Readonly<Record<string, TemplateResource>>;
}

/** Reads one resource by its physical id and its properties as they came to be; `gone` where there is none. */
export type Reader = (physicalId: string, wanted: Properties, made: Made) => Promise<Present | 'gone'>;

/** The JSON that a service gives as text; undefined for none. */
export const parsed = (text: string | undefined): unknown => (text ? (JSON.parse(text) as unknown) : undefined);

/** The answer, or undefined where the service knows no such thing: one of the errors by which they say so. */
export async function ifThere<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && isNowhere(error)) return undefined;
    throw error;
  }
}

/** True for each way in which a service says that there is no such thing. */
export const isNowhere = ({ name }: Error): boolean =>
  /^(ResourceNotFound(Exception)?|QueueDoesNotExist|NotFoundException|NotFound|NoSuchEntity(Exception)?|PolicyNotFoundException|AWS\.SimpleQueueService\.NonExistentQueue)$/.test(
    name,
  );
