"""The names that a server knows, as types: editors complete them, and type checkers find most misspelt names.

The lists repeat declarations of other modules, because type checkers read literals only; a test compares them.
"""

from __future__ import annotations

from typing import Literal

from mockserver.views.traffic_records import MachineName as MachineName
from mockserver.views.traffic_records import RuleName as RuleName

#: The fault kinds and named faults, which `GET /_mock/faults/catalogue` describes.
FaultName = Literal[
    "error", "otp_expired", "otp_invalid", "dns_failure", "permission_denied", "not_enough_credits", "unauthorized",
    "account_under_validation", "rate_limited", "duplicate_request", "server_error", "unavailable", "maintenance",
    "lost_answer", "latency", "hang", "connection_reset", "empty_response", "truncated_body", "malformed_body",
    "slow_body", "changed_answer", "unknown_members", "absent_members", "stale_read", "late_row", "member_order",
    "tls_handshake", "expired_certificate",
]  # fmt: skip


#: The events of all state machines.
MachineEvent = Literal[
    "verify_ownership", "dns_published", "authenticate", "dns_broken", "delete", "verify", "expire_otp", "resend_otp",
    "change_email", "trust", "succeed", "fail", "give_up", "redeliver", "cancel", "complete", "notify", "assign",
    "change", "accept_bulk", "apply_bulk", "reject_bulk", "fall_due", "reject", "consent", "refuse", "exchange",
    "refresh", "expire", "revoke", "schedule", "withdraw", "send", "review", "approve", "suspend", "finish", "archive",
    "restore", "restore_sent", "start",
]  # fmt: skip

#: The events of webhooks.
WebhookEvent = Literal[
    "blocked", "click", "deferred", "delivered", "error", "hardBounce", "invalid", "opened", "proxyOpen", "request",
    "sent", "softBounce", "spam", "uniqueOpened", "uniqueProxyOpen", "unsubscribed", "uniqueCouponSent",
    "contactDeleted", "contactUpdated", "listAddition", "inboundEmailProcessed", "reply", "accepted", "blacklisted",
    "skip", "subscribe", "unsubscribe",
]  # fmt: skip

#: The stories: each is a sequence of events that happen to one e-mail.
Story = Literal[
    "delivered", "delivered_opened", "delivered_opened_clicked", "delivered_unsubscribed", "delivered_complaint",
    "deferred_delivered", "soft_bounce", "hard_bounce", "blocked", "invalid",
]  # fmt: skip

#: The ids of the operations of the API: the 34, sending, templates, campaigns, contacts, and reads of received mails.
ApiOperation = Literal[
    "getAccount", "getDomains", "createDomain", "getDomainConfiguration", "deleteDomain", "authenticateDomain",
    "getSenders", "createSender", "updateSender", "deleteSender", "validateSenderByOtp", "getIps", "getIpsFromSender",
    "getWebhooks", "createWebhook", "getWebhook", "updateWebhook", "deleteWebhook", "exportWebhooksHistory",
    "getAccountActivity", "listSubAccounts", "createSubAccount", "getSubAccount", "deleteSubAccount",
    "updateSubAccountPlan", "updateSubAccountsPlan", "getMasterAccount", "createSubAccountKey", "getInboundEmailEvents",
    "getInboundEmailEventsByUuid", "getInboundEmailAttachment",
    "getSharedTemplateUrl", "deleteScheduledEmailById", "sendTransacEmail", "getScheduledEmailById",
    "getTransacBlockedContacts", "deleteSmtpBlockedContactsByEmail", "getEmailEventReport", "getTransacEmailsList",
    "getTransacEmailContent", "deleteAttribute", "getContacts", "createContact", "getContactInfo", "updateContact",
    "deleteContact", "getLists", "createList", "getList", "updateList", "deleteList",
    "getContactsFromList", "addContactToList", "removeContactFromList", "getFolders", "createFolder", "getFolder",
    "updateFolder", "deleteFolder", "getFolderLists", "getAttributes", "createAttribute", "updateAttribute",
    "createAdminSsoToken", "createSubAccountSsoToken", "getSmtpTemplates", "createSmtpTemplate", "getSmtpTemplate",
    "updateSmtpTemplate", "deleteSmtpTemplate", "sendTestTemplate", "getEmailCampaigns", "createEmailCampaign",
    "getEmailCampaign", "updateEmailCampaign", "deleteEmailCampaign", "sendEmailCampaignNow", "updateCampaignStatus",
    "sendTestEmail", "importContacts", "getProcesses", "getProcess",
]  # fmt: skip

#: The ids of the mock's other operations: shared templates, single sign-on and OAuth.
OtherOperation = Literal[
    "showSharedTemplate", "showSharedContent", "ssoCorporateLogin", "ssoSubAccountLogin", "oauthAuthorize",
    "oauthSignIn", "oauthConsent", "oauthTokenCode", "oauthTokenRefresh", "oauthTokenClientCredentials", "oauthRevoke",
    "oauthIntrospect", "oauthUserinfo", "oauthServerMetadata", "oauthOpenidConfiguration", "oauthPublicKeys",
    "oauthScopes",
]  # fmt: skip

#: The id of an operation. Editors complete the ids above; other ids such as `getCompanies` are allowed, and the
#: server refuses an unknown id with the most similar id.
OperationName = ApiOperation | OtherOperation | str
