"""All types of the contract under one roof, as the bindings make them: a record is a dataclass, an enum an `Enum`, a variant one class
for each case (`Content_Text`), an absent option `None`, and the outcome of a command or an effect `Ok` or `Err`.

`componentize-py -d wit -w provider bindings FOLDER` writes them down for an editor, documented as in `wit/`.
"""

from componentize_py_types import Err as Err
from componentize_py_types import Ok as Ok
from wit_world.exports.adapter import *  # noqa: F403
from wit_world.imports.capabilities import *  # noqa: F403
from wit_world.imports.commands import *  # noqa: F403
from wit_world.imports.effects import *  # noqa: F403
from wit_world.imports.events import *  # noqa: F403
from wit_world.imports.items import *  # noqa: F403
from wit_world.imports.requests import *  # noqa: F403
from wit_world.imports.types import *  # noqa: F403
