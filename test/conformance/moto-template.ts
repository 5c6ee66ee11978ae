// A template for moto's CloudFormation: without what moto can't make, by name and reason. Everything that is not named here must
// be made.

interface Template {
  readonly Resources: Record<
    string,
    {
      readonly Type: string;
      readonly Properties?: { readonly PolicyDocument?: { readonly Statement: object[] } };
      DependsOn?: unknown;
      DeletionPolicy?: string;
    }
  >;
  readonly Outputs: Record<string, object>;
  readonly Conditions: Record<string, object>;
  readonly Parameters: Record<string, object>;
}

/** Types of resources that are left out. */
export const leftOut: Readonly<Record<string, string>> = {
  'AWS::Lambda::Url': 'moto makes function URLs by their own call only, and fails over the output that names one',
  'AWS::Lambda::EventInvokeConfig': 'not in its CloudFormation',
  'AWS::SQS::QueuePolicy': 'not in its CloudFormation',
  'AWS::S3::BucketPolicy': 'not in its CloudFormation',
  'AWS::Pipes::Pipe': 'not in its CloudFormation',
  'AWS::CloudWatch::Alarm': 'not in its CloudFormation',
  'AWS::CloudWatch::Dashboard': 'names the alarms',
  'AWS::Logs::QueryDefinition': 'not in its CloudFormation',
  'AWS::SNS::TopicPolicy': 'not in its CloudFormation',
  'AWS::SNS::Subscription': 'not in its CloudFormation',
  'AWS::SecretsManager::Secret': 'not in its CloudFormation; made by the rule that the template gives',
  'AWS::SecretsManager::ResourcePolicy': 'not in its CloudFormation',
};

/** The template that moto takes, of the one that ships. */
export function forMoto(text: string): string {
  const template = JSON.parse(text) as Template;
  reduce(template);
  return JSON.stringify(template);
}

function reduce({ Resources, Outputs, Conditions, Parameters }: Template): void {
  referToAliases(Resources);
  for (const [logicalId, { Type }] of Object.entries(Resources)) {
    if (!(Type in leftOut)) continue;
    delete Resources[logicalId];
    for (const [output, value] of Object.entries(Outputs)) {
      if (JSON.stringify(value).includes(`"${logicalId}"`)) delete Outputs[output];
    }
  }
  for (const it of Object.values(Resources)) if (it.Type === 'AWS::IAM::ManagedPolicy') withoutConditions(it);
  // moto takes a warning of its validation for an error, and the linter in it warns of what nobody uses any more, and of
  // a needless dependency.
  const isUnused = (name: string) => {
    const text = JSON.stringify([Resources, Outputs, Conditions]).replace(`"${name}":`, '');
    return ![`"${name}"`, `\${${name}}`].some((it) => text.includes(it));
  };
  for (const all of [Conditions, Parameters]) {
    // A condition may be asked by another alone, which goes first.
    for (let unused = ['']; unused.length > 0;) {
      unused = Object.keys(all).filter(isUnused);
      for (const name of unused) delete all[name];
    }
  }
  for (const it of Object.values(Resources)) {
    if (/^AWS::(Lambda|Events)::/.test(it.Type)) delete it.DependsOn;
    // Of the policies that keep things moto knows the oldest alone.
    if (it.DeletionPolicy === 'RetainExceptOnCreate') it.DeletionPolicy = 'Retain';
  }
}

/** moto leaves an empty statement where a condition gives none, and finds it no policy; what has a condition is off by default. */
function withoutConditions({ Properties }: Template['Resources'][string]): void {
  const { Statement } = Properties?.PolicyDocument ?? {};
  Statement?.splice(0, Statement.length, ...Statement.filter((it) => !('Fn::If' in it)));
}

/** In an update moto makes things in the order in which they refer to each other, and passes over what they depend on. */
function referToAliases(resources: Template['Resources']): void {
  for (const [logicalId, it] of Object.entries(resources)) {
    const live = /\{"Fn::Join":\[":",\[\{"Fn::GetAtt":\["(\w+)LambdaFunction","Arn"\]\},"live"\]\]\}/g;
    resources[logicalId] = JSON.parse(JSON.stringify(it).replaceAll(live, '{"Ref":"$1LiveAlias"}'));
  }
}
