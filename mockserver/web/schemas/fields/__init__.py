"""The fields of schemas: what a value looks like on the wire, and which values are refused.

Nothing here knows which operation a value is for.
"""

from mockserver.web.schemas.fields.containers import Dict as Dict
from mockserver.web.schemas.fields.containers import List as List
from mockserver.web.schemas.fields.containers import OneOrMany as OneOrMany
from mockserver.web.schemas.fields.formats import LONGEST_HEADER_NAME as LONGEST_HEADER_NAME
from mockserver.web.schemas.fields.formats import LONGEST_HEADER_VALUE as LONGEST_HEADER_VALUE
from mockserver.web.schemas.fields.formats import LONGEST_URL as LONGEST_URL
from mockserver.web.schemas.fields.formats import ApiKey as ApiKey
from mockserver.web.schemas.fields.formats import Email as Email
from mockserver.web.schemas.fields.formats import HeaderName as HeaderName
from mockserver.web.schemas.fields.formats import HeaderValue as HeaderValue
from mockserver.web.schemas.fields.formats import Hostname as Hostname
from mockserver.web.schemas.fields.formats import Timezone as Timezone
from mockserver.web.schemas.fields.formats import Url as Url
from mockserver.web.schemas.fields.json_value import Json as Json
from mockserver.web.schemas.fields.json_value import JsonObject as JsonObject
from mockserver.web.schemas.fields.json_value import is_plain as is_plain
from mockserver.web.schemas.fields.moments import Day as Day
from mockserver.web.schemas.fields.moments import DayOrMoment as DayOrMoment
from mockserver.web.schemas.fields.moments import MillisecondMoment as MillisecondMoment
from mockserver.web.schemas.fields.moments import Moment as Moment
from mockserver.web.schemas.fields.moments import SecondMoment as SecondMoment
from mockserver.web.schemas.fields.moments import UnixMoment as UnixMoment
from mockserver.web.schemas.fields.scalars import INT64_MAX as INT64_MAX
from mockserver.web.schemas.fields.scalars import Choice as Choice
from mockserver.web.schemas.fields.scalars import Flag as Flag
from mockserver.web.schemas.fields.scalars import Int64 as Int64
from mockserver.web.schemas.fields.scalars import NotBlank as NotBlank
from mockserver.web.schemas.fields.scalars import Number as Number
from mockserver.web.schemas.fields.scalars import Quantity as Quantity
from mockserver.web.schemas.fields.scalars import Range as Range
from mockserver.web.schemas.fields.scalars import Stated as Stated
from mockserver.web.schemas.fields.scalars import Text as Text
from mockserver.web.schemas.fields.scalars import TextOrNumber as TextOrNumber
from mockserver.web.schemas.fields.scalars import identifier as identifier
