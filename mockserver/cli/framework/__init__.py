"""A small frame for commands upon argparse: declared once, they are parsed, explained and completed.

A command's module is imported when the command is asked for, and nothing here needs more than the standard library: in
a container `mockserver health` runs every few seconds.
"""

from mockserver.cli.framework.commands import Command as Command
from mockserver.cli.framework.commands import Group as Group
from mockserver.cli.framework.commands import command as command
from mockserver.cli.framework.commands import group as group
from mockserver.cli.framework.errors import Misused as Misused
from mockserver.cli.framework.errors import fail as fail
from mockserver.cli.framework.parameters import argument as argument
from mockserver.cli.framework.parameters import option as option
