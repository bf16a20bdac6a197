"""Sorts of small chambers for tests: the base alone, one more kind of device at a time, and all."""

from facelet.generators.chamber.world.device_registry import devices_by_kind

BASE = ("button", "cube", "door", "switch", "panel")
WORLDS = {
    "basic": BASE,
    "cover": (*BASE, "cover"),
    "beam": (*BASE, "beam"),
    "bridge": (*BASE, "bridge"),
    "dispenser": ("button", "switch", "dispenser", "door", "panel"),
    "laser": ("receiver", "laser", "mirror", "switch", "panel"),
    "lift": ("switch", "lift", "cube", "panel"),
    "plate": (*BASE, "plate"),
    "piston": (*BASE, "piston"),
    "runway": (*BASE, "runway"),
    "shield": (*BASE, "shield"),
    "spring": (*BASE, "spring"),
    "stairs": (*BASE, "stairs"),
    "turret": (*BASE, "turret"),
    "all": tuple(devices_by_kind()),
}
