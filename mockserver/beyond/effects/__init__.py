"""Effects of stubs on the workspace, in its own words: e-mails, events and credits."""

from mockserver.beyond.effects.performing import check as check
from mockserver.beyond.effects.performing import perform as perform
from mockserver.beyond.effects.reading import ITEMS as ITEMS
from mockserver.beyond.effects.reading import read as read
from mockserver.beyond.effects.reading import size_of as size_of
