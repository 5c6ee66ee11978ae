"""moto's server on a loopback port, with one lock around its tables.

moto checks a condition and writes in two steps: of two conditional writes at once both may win, which DynamoDB never
lets happen. Its queues need no lock, and with one a long poll would stop everything else.
"""

import json
import sys
from socket import MSG_DONTWAIT, MSG_PEEK
from threading import Lock

from flask import has_request_context, request
from moto.cloudformation import parsing
from moto.cloudformation.models import ChangeSet, CloudFormationBackend, Stack
from moto.cloudformation.responses import CloudFormationResponse
from moto.dynamodb.models.table import Table
from moto.iam.models import Role
from moto.kms.models import Key, kms_backends
from moto.logs.models import LogGroup
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.s3.models import FakeBucket
from moto.sqs.models import Queue
from werkzeug.exceptions import ClientDisconnected
from werkzeug.serving import run_simple


validated = CloudFormationBackend.validate_template


def errors_of(self, template):
    """moto takes a warning of cfn-lint for an error."""
    return [it for it in validated(self, template) if it.rule.id.startswith("E")]


CloudFormationBackend.validate_template = errors_of

applied = ChangeSet.apply


def applied_with_outputs(self):
    """moto forgets the outputs of a change set."""
    applied(self)
    self.stack.template_dict = self.template_dict
    self.stack.output_map = self.stack._create_output_map()


ChangeSet.apply = applied_with_outputs

update_parsed = parsing.parse_and_update_resource


def updated_or_kept(logical_id, resource_json, resources_map, account_id, region_name):
    """moto forgets a resource of a type of which it knows no update; here it stays as it is."""
    updated = update_parsed(logical_id, resource_json, resources_map, account_id, region_name)
    return resources_map[logical_id] if updated is None else updated


parsing.parse_and_update_resource = updated_or_kept


def table_updated(cls, original_resource, new_resource_name, cloudformation_json, account_id, region_name):
    """moto knows no update of a table, and forgets which one it was; CloudFormation changes the one that is there."""
    protected = cloudformation_json["Properties"].get("DeletionProtectionEnabled", False)
    original_resource.deletion_protection_enabled = protected
    return original_resource


Table.update_from_cloudformation_json = classmethod(table_updated)


def as_aws(model, changed):
    """moto's own creation of a resource, handed its properties as AWS takes them."""
    make = model.create_from_cloudformation_json.__func__

    def created(cls, resource_name, cloudformation_json, *args, **kwargs):
        properties = changed(dict(cloudformation_json["Properties"]))
        return make(cls, resource_name, {**cloudformation_json, "Properties": properties}, *args, **kwargs)

    model.create_from_cloudformation_json = classmethod(created)


def as_text(policy):
    """moto keeps a policy as one of its own objects, which no reader takes for JSON, and a statement that a condition leaves out as null."""
    return json.dumps({**policy, "Statement": [it for it in policy["Statement"] if it is not None]})


def with_policies_as_text(properties):
    policies = [{**it, "PolicyDocument": as_text(it["PolicyDocument"])} for it in properties.get("Policies", [])]
    return {**properties, "Policies": policies}


def with_encryption(properties):
    """What the template calls SSEEnabled, the call and moto behind it call Enabled."""
    said = properties.get("SSESpecification")
    return {**properties, "SSESpecification": {**said, "Enabled": said["SSEEnabled"]}} if said else properties


as_aws(Role, with_policies_as_text)
as_aws(Table, with_encryption)


def key_created(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
    """moto's own makes an encryption key of every key, and keeps its policy as an object."""
    it = cloudformation_json["Properties"]
    key = kms_backends[account_id][region_name].create_key(
        as_text(it["KeyPolicy"]),
        it.get("KeyUsage", "ENCRYPT_DECRYPT"),
        it.get("KeySpec", "SYMMETRIC_DEFAULT"),
        it.get("Description", ""),
        it.get("Tags", []),
    )
    key.key_rotation_status = it.get("EnableKeyRotation", False)
    key.enabled = it.get("Enabled", True)
    return key


def key_updated(cls, original_resource, new_resource_name, cloudformation_json, account_id, region_name):
    """moto knows no update of a key, and makes another one; CloudFormation changes the policy of the one that is there."""
    original_resource.policy = as_text(cloudformation_json["Properties"]["KeyPolicy"])
    return original_resource


Key.create_from_cloudformation_json = classmethod(key_created)
Key.update_from_cloudformation_json = classmethod(key_updated)

# AWS's ARN of a log group is that of its streams.
LogGroup.get_cfn_attribute = lambda self, name: f"{self.arn}:*"

# Of a type that it does not know moto keeps an empty place, and fails over it.
Stack.stack_resources = property(lambda self: [it for it in self.resource_map.values() if it is not None])

def update_termination_protection(self):
    """moto knows no protection of stacks: the call is answered, and a stack is deleted all the same."""
    name = self._get_param("StackName")
    result = f"<StackId>{self.cloudformation_backend.get_stack(name).stack_id}</StackId>"
    tag = "UpdateTerminationProtection"
    return f"<{tag}Response><{tag}Result>{result}</{tag}Result></{tag}Response>"


CloudFormationResponse.update_termination_protection = update_termination_protection

permitted = FakeBucket.get_permission


def get_permission(self, action, resource):
    """moto passes the conditions of a bucket's policy over: what refuses plain HTTP alone would refuse all calls."""
    whole = self.policy
    plain = [it for it in json.loads(whole)["Statement"] if "Condition" not in it] if whole else []
    self.policy = json.dumps({"Statement": plain}).encode() if plain else None
    try:
        return permitted(self, action, resource)
    finally:
        self.policy = whole


FakeBucket.get_permission = get_permission

wait_for_messages = Queue.wait_for_messages


def waited(self, timeout):
    """moto goes on polling for a client that is gone, and gives it the next message: nobody gets it then."""
    wait_for_messages(self, timeout)
    if has_request_context() and is_gone(request.environ["werkzeug.socket"]):
        raise ClientDisconnected()


def is_gone(connection):
    try:
        return connection.recv(1, MSG_PEEK | MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


Queue.wait_for_messages = waited

tables = Lock()
moto = DomainDispatcherApplication(create_backend_app)


def application(environ, start_response):
    if environ.get("HTTP_X_AMZ_TARGET", "").startswith("DynamoDB"):
        with tables:
            return list(moto(environ, start_response))
    return moto(environ, start_response)


run_simple("127.0.0.1", int(sys.argv[1]), application, threaded=True)
