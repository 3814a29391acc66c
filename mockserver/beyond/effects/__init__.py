"""The effects that stubs have on the workspace, in its own words: `mail`, `event`, `credits`, `schedule`."""

from mockserver.beyond.effects.performing import check as check
from mockserver.beyond.effects.performing import perform as perform
from mockserver.beyond.effects.reading import read as read
