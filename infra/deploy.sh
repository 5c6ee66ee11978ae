#!/bin/sh
# Deploys this release by AWS's command line alone, as a pipeline does that takes one package through its stages:
#   sh deploy.sh <stage> <bucket of the stage's region> [Parameter=value ...]
# A parameter that is not named keeps the value that the stack has. `npm run deploy` does more: it shows what changes, has the
# doctor examine it, and looks at the end whether what was asked for is live.
set -eu
stage=$1 bucket=$2
shift 2
cd "$(dirname "$0")"
sha256sum --check --quiet SHA256SUMS
stack=payouts-$stage prefix=payouts/$(cat commit.txt)/
# Another release for any other code or parameter: without it Lambda goes on with the version that it has.
release=$(cat commit.txt)-$( (cat SHA256SUMS; printf '%s\n' "$@") | sha256sum | cut -c1-12)
deploy() {
  aws cloudformation deploy --stack-name "$stack" --template-file template.json --s3-bucket "$bucket" --s3-prefix "$prefix" \
    --capabilities CAPABILITY_IAM --no-fail-on-empty-changeset --parameter-overrides "Stage=$stage" \
    "Release=$release" "CodeBucket=$bucket" "CodePrefix=$prefix" "SecretPrefix=payouts/$stage/" "$@"
}
for file in *.zip *.map; do aws s3 cp --only-show-errors "$file" "s3://$bucket/$prefix$file"; done
# CloudFormation takes away what a failed first deployment has made, and could not take away a protected table.
aws cloudformation describe-stacks --stack-name "$stack" >/dev/null 2>&1 || deploy "$@" LedgerProtection=false
deploy "$@" LedgerProtection=true
aws cloudformation set-stack-policy --stack-name "$stack" --stack-policy-body file://stack-policy.json
aws cloudformation update-termination-protection --stack-name "$stack" --enable-termination-protection >/dev/null
echo "$stack runs release $release"
