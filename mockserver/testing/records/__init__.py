"""What the handles answer: one record for each thing that a server tells, the same for both variants of the handles."""

from mockserver.testing.records.causes import Cause as Cause
from mockserver.testing.records.clock import Fired as Fired
from mockserver.testing.records.clock import Timer as Timer
from mockserver.testing.records.coverage import Total as Total
from mockserver.testing.records.deliveries import Attempt as Attempt
from mockserver.testing.records.deliveries import Call as Call
from mockserver.testing.records.deliveries import Delivery as Delivery
from mockserver.testing.records.dns import KnownName as KnownName
from mockserver.testing.records.dns import OwnedDomain as OwnedDomain
from mockserver.testing.records.dns import Records as Records
from mockserver.testing.records.machines import Instance as Instance
from mockserver.testing.records.machines import Transition as Transition
from mockserver.testing.records.mailbox import Attachment as Attachment
from mockserver.testing.records.mailbox import Mail as Mail
from mockserver.testing.records.mailbox import Recipient as Recipient
from mockserver.testing.records.requests import ControlCall as ControlCall
from mockserver.testing.records.requests import Exchange as Exchange
from mockserver.testing.records.requests import Message as Message
from mockserver.testing.records.requests import Page as Page
from mockserver.testing.records.workspace import Account as Account
from mockserver.testing.records.workspace import App as App
from mockserver.testing.records.workspace import Arrival as Arrival
from mockserver.testing.records.workspace import InboundMail as InboundMail
