// Ways to break the network that functions are in.
import { type BrokenStack, set, type Template } from './broken-edits.ts';

/** Takes the refusal of ec2 out of a role. */
function unbound(template: Template): void {
  const policies = template.Resources['SubmitRole']?.Properties['Policies'] as
    | { PolicyDocument: { Statement: unknown[] } }[]
    | undefined;
  const document = policies?.[0]?.PolicyDocument;
  if (document)
    document.Statement = document.Statement.filter((it) => !JSON.stringify(it).includes('lambda:SourceFunctionArn'));
}

const anyone = [{ IpProtocol: 'tcp', FromPort: 443, ToPort: 443, CidrIp: '0.0.0.0/0' }];

/** The list. */
export const brokenNetworks: readonly BrokenStack[] = [
  {
    story: 'a private subnet is made a public one',
    edit: (template) => {
      set('PrivateRouteA', 'NatGatewayId', undefined)(template);
      set('PrivateRouteA', 'GatewayId', { Ref: 'InternetGateway' })(template);
    },
  },
  {
    story: 'the security group of the functions is opened',
    edit: set('FunctionsSecurityGroup', 'SecurityGroupIngress', anyone),
  },
  {
    story: 'submit is in one zone alone',
    edit: set('SubmitLambdaFunction', 'VpcConfig', { SubnetIds: [{ Ref: 'PrivateSubnetA' }] }),
  },
  {
    story: 'a NAT gateway has an address that comes and goes',
    edit: set('NatGatewayB', 'AllocationId', undefined),
  },
  {
    story: 'the code of a function may make network interfaces',
    edit: unbound,
  },
];
