"""The reference pages that come out of the code: members of scenarios, faults and stubs, commands, control calls."""

from reference.commands import command_options
from reference.control_calls import control_calls
from reference.faults import fault_kinds
from reference.members import fault_members, scenario_members, stub_members

PARTS = (scenario_members, fault_members, fault_kinds, stub_members, command_options, control_calls)
