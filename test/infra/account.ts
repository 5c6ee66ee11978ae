// An AWS account as CloudFormation leaves it, by its documented rules: what a deletion policy does when a creation is
// rolled back and when a stack is deleted, whose names are taken, and what an import takes back.
import type { ImportPlan } from '../../infra/import-plan.ts';

/** A template as it is read from its file. */
export interface DeployedTemplate {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
}

interface TemplateResource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: string | readonly string[];
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** Something that exists. `orders` is what a ledger has come to know. */
interface Thing {
  readonly physicalId: string;
  readonly type: string;
  readonly orders: Set<string>;
  protectedFromDeletion: boolean;
  /** Deleted, and its name not free yet. */
  going: boolean;
}

/** How a deployment ended. */
export type Deployment =
  | { readonly kind: 'complete' }
  | { readonly kind: 'rolled-back'; readonly at: string; readonly reason: string };

/** An account with at most one stack of ours. */
export class Account {
  readonly things = new Map<string, Thing>();
  /** Physical ids by logical ones. */
  readonly stack = new Map<string, string>();
  #made = 0;

  /** Creates what the stack has not; at `failsAt` AWS says no. What was created is rolled back then. */
  deploy(template: DeployedTemplate, failsAt?: string): Deployment {
    const created: string[] = [];
    for (const logicalId of inOrder(template)) {
      const resource = template.Resources[logicalId];
      const physicalId = this.stack.get(logicalId);
      if (!resource) continue;
      const thing = physicalId === undefined ? undefined : this.things.get(physicalId);
      if (thing) {
        thing.protectedFromDeletion = isProtected(resource);
        continue;
      }
      const reason = failsAt === logicalId ? 'AWS said no' : this.#create(logicalId, resource);
      if (reason === undefined) created.push(logicalId);
      else {
        for (const it of created.toReversed()) this.#takeAway(it, template, 'Retain');
        return { kind: 'rolled-back', at: logicalId, reason };
      }
    }
    return { kind: 'complete' };
  }

  /** Deletes the stack. */
  remove(template: DeployedTemplate): void {
    for (const logicalId of [...this.stack.keys()].toReversed()) this.#takeAway(logicalId, template, 'Retain.*');
  }

  /** Takes what is kept into the stack. */
  import(plan: ImportPlan): void {
    for (const { LogicalResourceId, ResourceIdentifier } of plan.resources) {
      const [physicalId = ''] = Object.values(ResourceIdentifier);
      const thing = [...this.things.values()].find((it) => lastPart(it.physicalId) === lastPart(physicalId));
      if (!thing) throw new Error(`there is no ${physicalId}`);
      this.stack.set(LogicalResourceId, thing.physicalId);
    }
  }

  thingOf(logicalId: string): Thing | undefined {
    return this.things.get(this.stack.get(logicalId) ?? '');
  }

  #create(logicalId: string, resource: TemplateResource): string | undefined {
    const name = nameOf(resource);
    const physicalId = `${resource.Type}|${name ?? `${logicalId}-${(this.#made += 1)}`}`;
    if (this.things.has(physicalId)) return `${physicalId} already exists`;
    const protectedFromDeletion = isProtected(resource);
    const type = resource.Type;
    this.things.set(physicalId, { physicalId, type, orders: new Set(), protectedFromDeletion, going: false });
    this.stack.set(logicalId, physicalId);
    return undefined;
  }

  #takeAway(logicalId: string, template: DeployedTemplate, keeping: string): void {
    const thing = this.thingOf(logicalId);
    this.stack.delete(logicalId);
    const policy = template.Resources[logicalId]?.DeletionPolicy ?? 'Delete';
    if (!thing || thing.protectedFromDeletion || new RegExp(`^${keeping}$`).test(policy)) return;
    // A deleted secret's name is not free at once; that of a deleted queue is after the minute in which one reads why.
    if (thing.type === 'AWS::SecretsManager::Secret') thing.going = true;
    else this.things.delete(thing.physicalId);
  }
}

const lastPart = (id: string) => id.split(/[|/]/).at(-1) ?? '';
const isProtected = ({ Properties }: TemplateResource) => Properties?.['DeletionProtectionEnabled'] === true;

/** The name that AWS keeps unique, where the template gives one. */
function nameOf({ Type, Properties = {} }: TemplateResource): string | undefined {
  const own = Type.split('::').at(-1) ?? '';
  const names = [`${own}Name`, 'Name', 'QueueName', 'TableName', 'FunctionName', 'AliasName', 'LogGroupName'];
  // Of these the name is that of what they belong to.
  if (/Permission|Lambda::Alias|EventInvokeConfig|EventSourceMapping|Url|QueryDefinition/.test(Type)) return undefined;
  const name = names.map((it) => Properties[it]).find((it) => typeof it === 'string');
  return typeof name === 'string' ? name : undefined;
}

/** The order of creation: first what others refer to. */
function inOrder({ Resources }: DeployedTemplate): readonly string[] {
  const done = new Set<string>();
  const visit = (logicalId: string): void => {
    const resource = Resources[logicalId];
    if (!resource || done.has(logicalId)) return;
    done.add(logicalId);
    referencesOf(resource).forEach(visit);
    order.push(logicalId);
  };
  const order: string[] = [];
  Object.keys(Resources).forEach(visit);
  return order;
}

/** Logical ids that a resource refers to; of others it finds none by that name. */
export function referencesOf(resource: TemplateResource): readonly string[] {
  const text = JSON.stringify(resource.Properties ?? {});
  const named = [...text.matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"|\$\{(\w+)(?:\.\w+)?\}/g)];
  return [...[resource.DependsOn ?? []].flat(), ...named.map(([, direct, within]) => direct ?? within ?? '')];
}
