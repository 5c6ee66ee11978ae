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
# The release of a function's version, as its description says.
release_of() {
  description=$(aws lambda list-versions-by-function --function-name "$1" --query "Versions[?Version=='$2'].Description" --output text)
  echo "$description" | sed -n 's/.*, release \(.*\))$/\1/p'
}
# Where somebody has rolled back, CodeDeploy goes by what CloudFormation deployed last: a rollout that failed would give all calls to the
# release that was rolled back. And the very same release would change nothing, or put it live again.
refuse_over_roll_back() {
  rollout=$(aws cloudformation describe-stacks --stack-name "$stack" --output text \
    --query "Stacks[0].Parameters[?ParameterKey=='Rollout'].ParameterValue")
  for it in "$@"; do case $it in Rollout=*) rollout=${it#Rollout=} ;; esac; done
  aliases=$(aws cloudformation list-stack-resources --stack-name "$stack" --output text \
    --query "StackResourceSummaries[?ResourceType=='AWS::Lambda::Alias'].PhysicalResourceId")
  for alias in $aliases; do
    function=${alias%:live}
    version=$(aws lambda get-alias --function-name "$function" --name live --query FunctionVersion --output text)
    live=$(release_of "$function" "$version")
    last=$(release_of "$function" "\$LATEST")
    [ "$live" != "$last" ] || continue
    if [ "$last" = "$release" ]; then
      echo "nothing is deployed: it was rolled back; npx --no payouts roll-back --stack $stack --to $release puts it live again" >&2
    elif [ "$rollout" != AllAtOnce ]; then
      echo "nothing is deployed: live is release $live, and $last was deployed last; deploy with Rollout=AllAtOnce" >&2
    else continue; fi
    exit 1
  done
}
is_there=yes
aws cloudformation describe-stacks --stack-name "$stack" >/dev/null 2>&1 || is_there=no
if [ $is_there = yes ]; then refuse_over_roll_back "$@"; fi
for file in *.zip *.map; do aws s3 cp --only-show-errors "$file" "s3://$bucket/$prefix$file"; done
# CloudFormation takes away what a failed first deployment has made, and could not take away a protected table.
[ $is_there = yes ] || deploy "$@" LedgerProtection=false
deploy "$@" LedgerProtection=true
aws cloudformation set-stack-policy --stack-name "$stack" --stack-policy-body file://stack-policy.json
aws cloudformation update-termination-protection --stack-name "$stack" --enable-termination-protection >/dev/null
echo "$stack runs release $release"
