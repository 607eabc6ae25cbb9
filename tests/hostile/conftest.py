"""The two ways of carrying an attack."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from tests.hostile.node import TcpScene
from tests.hostile.room import Room
from tests.hostile.scene import RoomScene, Scene

T = TypeVar("T")


class Live:
    """Brings rooms to life: as four table cores, or the same cores in four nodes over TCP."""

    def __init__(self, how: str, home: Path) -> None:
        self.core = how == "core"
        self._home = home
        self._scenes: list[Scene] = []

    def __call__(self, room: Room, hostile: int | tuple[int, ...]) -> Scene:
        scene: Scene
        if self.core:
            scene = RoomScene(room, hostile)
            scene.thorough = not self._scenes
        else:
            home = self._home / str(len(self._scenes))
            home.mkdir()
            scene = TcpScene(room, hostile, home)
        self._scenes.append(scene)
        return scene

    def some(self, variations: Sequence[T]) -> Sequence[T]:
        """All of them in the core, where one costs little; over TCP the first."""
        return variations if self.core else variations[:1]

    def close(self) -> None:
        """End all scenes."""
        for scene in self._scenes:
            scene.close()
        self._scenes.clear()


@pytest.fixture(params=["core", "tcp"])
def live(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Live]:
    """See :class:`Live`."""
    made = Live(request.param, tmp_path)
    yield made
    made.close()
