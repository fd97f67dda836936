"""From process groups to barrier trees and the registers that hold them."""
