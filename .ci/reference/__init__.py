"""The reference pages that come out of the code: scenarios, faults, stubs, commands, control calls, and Python."""

from reference.commands import command_options
from reference.control_calls import control_calls, control_inputs
from reference.faults import fault_kinds
from reference.members import fault_members, scenario_members, scenario_shared, stub_members
from reference.python import (
    python_arguments,
    python_coroutines,
    python_errors,
    python_handles,
    python_others,
    python_records,
    python_server,
    python_shared,
    python_workspace,
)

PARTS = (
    scenario_shared,
    scenario_members,
    fault_members,
    fault_kinds,
    stub_members,
    command_options,
    control_inputs,
    control_calls,
    python_server,
    python_errors,
    python_shared,
    python_workspace,
    python_handles,
    python_arguments,
    python_records,
    python_coroutines,
    python_others,
)
