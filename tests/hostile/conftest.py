"""The two ways of carrying an attack."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hostile.node import TcpScene
from tests.hostile.room import Room
from tests.hostile.scene import RoomScene, Scene

Live = Callable[[Room, int | tuple[int, ...]], Scene]


@pytest.fixture(params=["core", "tcp"])
def live(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Live]:
    """Bring a room to life: four table cores, or the same cores in four nodes over TCP."""
    scenes: list[Scene] = []

    def begin(room: Room, hostile: int | tuple[int, ...]) -> Scene:
        scene: Scene
        if request.param == "core":
            scene = RoomScene(room, hostile)
        else:
            home = tmp_path / str(len(scenes))
            home.mkdir()
            scene = TcpScene(room, hostile, home)
        scenes.append(scene)
        return scene

    yield begin
    for scene in scenes:
        scene.close()
