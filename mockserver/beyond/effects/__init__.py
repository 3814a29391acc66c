"""The effects of stubs in the words of the workspace: `mail`, `event`, `credits`, `schedule`, `attribute`, `warn`."""

from mockserver.beyond.effects.performing import check as check
from mockserver.beyond.effects.performing import perform as perform
from mockserver.beyond.effects.reading import read as read
