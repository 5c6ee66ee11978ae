// Rules about the network that functions are in, where they are in one: a way out by addresses that stay, and none in.
import { type Statement, statementsOfRole } from './policy.ts';
import { type Rule, unless } from './rule.ts';
import { listOf, ofType, type Resource, type Stack, targetOf } from './stack.ts';

/** Every resource of one type that is named anywhere in a value, in whichever branch of a condition. */
function named(stack: Stack, value: unknown, type: string): Resource[] {
  const texts = [...JSON.stringify(value ?? null).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g)];
  return texts.flatMap(([, name = '']) => {
    const it = stack.get(name);
    return it?.type === type ? [it] : [];
  });
}

const inNetworks = (stack: Stack) =>
  ofType(stack, 'AWS::Lambda::Function').filter(({ properties }) => properties['VpcConfig'] !== undefined);

/** Where packets to the world leave a subnet of this stack. */
function waysOut(stack: Stack, subnet: Resource): readonly Resource[] {
  const tables = new Set(
    ofType(stack, 'AWS::EC2::SubnetRouteTableAssociation')
      .filter(({ properties }) => targetOf(stack, properties['SubnetId']) === subnet)
      .map(({ properties }) => targetOf(stack, properties['RouteTableId'])),
  );
  return ofType(stack, 'AWS::EC2::Route').filter(
    ({ properties }) =>
      tables.has(targetOf(stack, properties['RouteTableId'])) && properties['DestinationCidrBlock'] === '0.0.0.0/0',
  );
}

/** The rules; each is a row. Subnets and groups that are given by their ids are their owner's to know. */
export const networkRules: readonly Rule[] = [
  {
    name: 'out-by-nat',
    danger: 'a function has no public address: without NAT it reaches no gateway, and every job waits',
    check: ({ stack }) =>
      [
        ...new Set(inNetworks(stack).flatMap((it) => named(stack, it.properties['VpcConfig'], 'AWS::EC2::Subnet'))),
      ].flatMap((subnet) => {
        const ways = waysOut(stack, subnet);
        const byNat = ways.length > 0 && ways.every(({ properties }) => properties['NatGatewayId'] !== undefined);
        return unless(byNat, subnet.logicalId, 'is where functions are, and has no route to the world by NAT alone');
      }),
  },
  {
    name: 'nobody-comes-in',
    danger: 'whoever is in the network, or outside of it, can speak to what pays',
    check: ({ stack }) =>
      [
        ...new Set(
          inNetworks(stack).flatMap((it) => named(stack, it.properties['VpcConfig'], 'AWS::EC2::SecurityGroup')),
        ),
      ].flatMap((group) => {
        const beside = ofType(stack, 'AWS::EC2::SecurityGroupIngress').filter(
          ({ properties }) => targetOf(stack, properties['GroupId']) === group,
        );
        const open = listOf(group.properties['SecurityGroupIngress']).length + beside.length;
        return unless(open === 0, `${group.logicalId}.SecurityGroupIngress`, `lets ${open} kinds of traffic in`);
      }),
  },
  {
    name: 'two-zones',
    danger: 'where the one zone fails nothing is paid, and nothing is asked about',
    check: ({ stack }) =>
      inNetworks(stack).flatMap(({ logicalId, properties }) => {
        const subnets = named(stack, properties['VpcConfig'], 'AWS::EC2::Subnet');
        const zones = new Set(subnets.map((it) => JSON.stringify(it.properties['AvailabilityZone'])));
        const nats = new Set(
          subnets.flatMap((it) => waysOut(stack, it).map((way) => JSON.stringify(way.properties['NatGatewayId']))),
        );
        const fault = `is in ${zones.size} zones and goes out by ${nats.size} NAT gateways`;
        return unless(subnets.length === 0 || (zones.size > 1 && nats.size > 1), `${logicalId}.VpcConfig`, fault);
      }),
  },
  {
    name: 'address-that-stays',
    danger: 'the gateway lists addresses: from any other one it takes nothing, and every job waits',
    check: ({ stack }) =>
      ofType(stack, 'AWS::EC2::NatGateway').flatMap(({ logicalId, properties }) =>
        unless(
          targetOf(stack, properties['AllocationId'])?.type === 'AWS::EC2::EIP' &&
            properties['ConnectivityType'] !== 'private',
          `${logicalId}.AllocationId`,
          'is no Elastic IP of this stack',
        ),
      ),
  },
  {
    name: 'interfaces-by-lambda-alone',
    danger: 'code that was taken over makes network interfaces, and listens where it likes',
    check: ({ stack }) =>
      ofType(stack, 'AWS::IAM::Role').flatMap((role) => {
        const ofInterfaces = statementsOfRole(stack, role).filter(({ actions }) =>
          actions.some((action) => action.startsWith('ec2:')),
        );
        const isRefusal = ({ allows, conditions }: Statement) =>
          !allows && JSON.stringify(conditions).includes('lambda:SourceFunctionArn');
        const refused = new Set(ofInterfaces.filter(isRefusal).flatMap(({ actions }) => actions));
        const allowed = ofInterfaces.filter(({ allows }) => allows).flatMap(({ actions }) => actions);
        const isBound = allowed.every((action) => refused.has(action));
        return unless(isBound, role.logicalId, 'lets the code of its function handle network interfaces');
      }),
  },
];
