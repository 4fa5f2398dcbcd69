"""Keys and tokens of clouds and other services, each of which can be told by its form."""

import re
from collections.abc import Iterator

from detect_secrets.plugins.artifactory import ArtifactoryDetector
from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.cloudant import CloudantDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.ibm_cloud_iam import IbmCloudIamDetector
from detect_secrets.plugins.ibm_cos_hmac import IbmCosHmacDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.softlayer import SoftlayerDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

from researcher_integration.masking import secret_names
from researcher_integration.masking.findings import Find, Finding
from researcher_integration.masking.patterns import from_plugin, looks_generated, own


def _no_uuid(value: str) -> bool:
    return secret_names.mixed(value.partition(':')[2])


_SEGMENT = re.compile(r'[\w\-=]*+')
_REST = re.compile(r'\.[\w\-=]{4,}+(?:\.[\w\-=+/]*+){0,3}')


def find_web_tokens(text: str, _lower: str) -> Iterator[Finding]:
    """Find JSON Web Tokens, signed or encrypted, also those cut off after the second part."""
    at = text.find('eyJ')
    while at >= 0:
        segment = _SEGMENT.match(text, at)
        end = segment.end() if segment else at + 3
        if rest := _REST.match(text, end):
            end = rest.end()
            yield Finding(at, end, 'JWT')
        at = text.find('eyJ', end)


CLOUD: list[Find] = [
    *from_plugin('AWS_KEY', AWSKeyDetector(), 'akia', 'asia', 'abia', 'acca', 'a3t', 'aws', whole=False),
    own('AWS_KEY', r'(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16,}+', 'akia', 'asia', 'abia', 'acca', 'a3t'),
    *from_plugin('AZURE_KEY', AzureStorageKeyDetector(), 'accountkey='),
    own('AZURE_KEY', r'[A-Za-z0-9_~.\-]{3}7Q~[A-Za-z0-9_~.\-]{31,}+', '7q~'),
    own(
        'AZURE_KEY',
        r'[A-Za-z0-9+/]{76}(?:\+AMC|AIoT|\+ASt|AzCa|ACDb|AzSe)[A-Za-z0-9+/]{5}={0,2}',
        '+amc',
        'aiot',
        '+ast',
        'azca',
        'acdb',
        'azse',
    ),
    own('GOOGLE_KEY', r'AIza[0-9A-Za-z_\-]{30,}+', 'aiza'),
    own('GOOGLE_TOKEN', r'ya29\.[0-9A-Za-z_\-.]{10,}+', 'ya29.'),
    own('GOOGLE_KEY', r'GOCSPX-[0-9A-Za-z_\-]{20,}+', 'gocspx-'),
    *from_plugin('CLOUDANT', CloudantDetector(), 'cl', keep=secret_names.mixed, whole=False),
    *from_plugin('IBM_KEY', IbmCloudIamDetector(), 'ibm', 'iam', keep=secret_names.mixed, whole=False),
    *from_plugin('IBM_KEY', IbmCosHmacDetector(), 'secret', whole=False),
    *from_plugin('SOFTLAYER', SoftlayerDetector(), 'softlayer', 'sl_', 'slapi', whole=False),
    own('DIGITALOCEAN_TOKEN', r'do[opr]_v1_[a-f0-9]{40,}+', '_v1_'),
    own(
        'SIGNATURE',
        r'(?:[?&;](?:sig|X-Amz-Signature|X-Goog-Signature|Signature)=)(?P<secret>[A-Za-z0-9%+/=_\-~]{16,}+)',
        'sig=',
        'signature=',
    ),
]

TOKENS: list[Find] = [
    find_web_tokens,
    *from_plugin('GITHUB_TOKEN', GitHubTokenDetector(), 'gh'),
    own(
        'GITHUB_TOKEN',
        r'(?:gh[pousr]_[A-Za-z0-9_]{30,}+|github_pat_[A-Za-z0-9_]{20,}+)',
        'ghp_',
        'gho_',
        'ghu_',
        'ghs_',
        'ghr_',
        'github_pat_',
    ),
    *from_plugin('GITLAB_TOKEN', GitLabTokenDetector(), 'gl', 'gr1348941'),
    own('GITLAB_TOKEN', r'gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-[A-Za-z0-9_\-]{20,}+', 'gl'),
    *from_plugin('SLACK_TOKEN', SlackDetector(), 'xox', 'hooks.slack.com'),
    own('SLACK_TOKEN', r'(?i:xox[a-z](?:\.xox[a-z])?-|xapp-\d-|xwfp-)[A-Za-z0-9\-]{10,}+', 'xox', 'xapp-', 'xwfp-'),
    *from_plugin('DISCORD_TOKEN', DiscordBotTokenDetector(), '.', keep=lambda value: secret_names.mixed(value[-27:])),
    own('DISCORD_WEBHOOK', r'discord(?:app)?\.com/api/webhooks/\d+/(?P<secret>[\w\-]{20,}+)', '/api/webhooks/'),
    *from_plugin('STRIPE_KEY', StripeDetector(), 'k_live_'),
    own('STRIPE_KEY', r'(?:[srp]k_(?:live|test)_|whsec_)[0-9A-Za-z]{16,}+', 'k_live_', 'k_test_', 'whsec_'),
    *from_plugin('SENDGRID_KEY', SendGridDetector(), 'sg.'),
    # As that of `detect-secrets`, but that no text can hold it up.
    own('OPENAI_KEY', r'sk-[A-Za-z0-9_\-]{0,200}?T3BlbkFJ[A-Za-z0-9_\-]{20,}+', 't3blbkfj'),
    own('ANTHROPIC_KEY', r'sk-ant-[A-Za-z0-9_\-]{16,}+', 'sk-ant-'),
    own('OPENROUTER_KEY', r'sk-or-(?:v\d-)?[A-Za-z0-9_\-]{16,}+', 'sk-or-'),
    own(
        'OPENAI_KEY',
        r'sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_\-]{16,}+',
        'sk-proj-',
        'sk-svcacct-',
        'sk-admin-',
        'sk-none-',
    ),
    own('OPENAI_KEY', r'(?<![A-Za-z0-9])sk-[A-Za-z0-9]{20,}+', 'sk-', keep=looks_generated),
    own('HUGGINGFACE_TOKEN', r'(?:hf_|api_org_)[A-Za-z0-9]{30,}+', 'hf_', 'api_org_'),
    own('GROQ_KEY', r'gsk_[A-Za-z0-9]{30,}+', 'gsk_'),
    own('XAI_KEY', r'xai-[A-Za-z0-9]{40,}+', 'xai-'),
    own('REPLICATE_TOKEN', r'r8_[A-Za-z0-9]{30,}+', 'r8_'),
    own('PERPLEXITY_KEY', r'pplx-[A-Za-z0-9]{30,}+', 'pplx-'),
    own('LOGFIRE_TOKEN', r'pylf_v\d_[a-z]{2,8}_[A-Za-z0-9]{20,}+', 'pylf_v'),
    *from_plugin('PYPI_TOKEN', PypiTokenDetector(), 'pypi-agei', 'pypi-agen'),
    own('NPM_TOKEN', r'npm_[A-Za-z0-9]{30,}+', 'npm_'),
    *from_plugin('TELEGRAM_TOKEN', TelegramBotTokenDetector(), ':', keep=_no_uuid),
    *from_plugin('TWILIO_KEY', TwilioKeyDetector(), 'ac', 'sk', keep=looks_generated),
    *from_plugin('SQUARE_TOKEN', SquareOAuthDetector(), 'sq0csp-'),
    own('SQUARE_TOKEN', r'sq0[a-z]{3}-[0-9A-Za-z\-_]{20,}+', 'sq0'),
    *from_plugin('MAILCHIMP_KEY', MailchimpDetector(), '-us', keep=lambda value: secret_names.entropy(value[:32]) > 3),
    *from_plugin('ARTIFACTORY_TOKEN', ArtifactoryDetector(), 'akc', 'ap', keep=secret_names.mixed),
    own('VAULT_TOKEN', r'hv[sbr]\.[A-Za-z0-9_\-]{20,}+', 'hvs.', 'hvb.', 'hvr.'),
    own('DATABRICKS_TOKEN', r'dapi[0-9a-f]{32,}+', 'dapi'),
    own('LINEAR_KEY', r'lin_(?:api|oauth)_[A-Za-z0-9]{30,}+', 'lin_api_', 'lin_oauth_'),
    own('SHOPIFY_TOKEN', r'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}+', 'shp'),
    own('ATLASSIAN_TOKEN', r'ATATT3[A-Za-z0-9_\-=]{50,}+', 'atatt3'),
    own('GRAFANA_TOKEN', r'glsa_[A-Za-z0-9]{20,}_[a-f0-9]{8}', 'glsa_'),
    own('SENTRY_TOKEN', r'sntry[su]_[A-Za-z0-9_\-+/=]{30,}+', 'sntrys_', 'sntryu_'),
    own('TAILSCALE_KEY', r'tskey-[a-z]+-[A-Za-z0-9\-]{10,}+', 'tskey-'),
    own('DOPPLER_TOKEN', r'dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9.\-_]{30,}+', 'dp.'),
    own('NEW_RELIC_KEY', r'NR(?:AK|II|IQ|RA)-[A-Za-z0-9]{20,}+', 'nrak-', 'nrii-', 'nriq-', 'nrra-'),
]
